package import WeirCore

/// How what a consumer knows is saved, and given back to another one after the program was ended or killed.
///
/// A host calls the functions on the thread that feeds the consumer, between two batches.
package struct ConsumerState {
    /// What the saved bytes fit: a consumer gets those of one with the same text.
    ///
    /// It names the program of the consumer, such as its operators and the types that they keep, and not what they know.
    package let fingerprint: String

    /// What the consumer knows, as bytes.
    package let save: () throws -> [UInt8]

    /// Gives back what a consumer with the same fingerprint knew; called before the first record.
    ///
    /// Where that does not fit, it is dropped if `drops` is true; otherwise `StateError.mismatch` is thrown, and nothing was
    /// given back.
    package let restore: (_ bytes: ArraySlice<UInt8>, _ drops: Bool) throws -> RestoreReport?

    /// Whether `save` may be called in a copy of the process that has no other threads: not where it asks one, or takes a
    /// lock that one may hold.
    package let canBeSavedInCopy: Bool

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - fingerprint: What the saved bytes fit.
    ///   - canBeSavedInCopy: Whether `save` may be called in a copy of the process that has no other threads.
    ///   - save: What the consumer knows, as bytes.
    ///   - restore: Gives back what a consumer with the same fingerprint knew, with what does not fit dropped or refused;
    ///     returns what fitted, where parts of it can.
    package init(
        fingerprint: String,
        canBeSavedInCopy: Bool = true,
        save: @escaping () throws -> [UInt8],
        restore: @escaping (_ bytes: ArraySlice<UInt8>, _ drops: Bool) throws -> RestoreReport?
    ) {
        self.fingerprint = fingerprint
        self.canBeSavedInCopy = canBeSavedInCopy
        self.save = save
        self.restore = restore
    }
}
