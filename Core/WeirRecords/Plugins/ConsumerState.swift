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
    package let restore: (_ bytes: [UInt8]) throws -> Void

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - fingerprint: What the saved bytes fit.
    ///   - save: What the consumer knows, as bytes.
    ///   - restore: Gives back what a consumer with the same fingerprint knew.
    package init(
        fingerprint: String,
        save: @escaping () throws -> [UInt8],
        restore: @escaping (_ bytes: [UInt8]) throws -> Void
    ) {
        self.fingerprint = fingerprint
        self.save = save
        self.restore = restore
    }
}
