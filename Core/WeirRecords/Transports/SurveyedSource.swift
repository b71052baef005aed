/// An input that can be read once, and whose start is looked at before that: what breaks it off is thrown behind what came
/// before.
package final class SurveyedSource: TransportSource {
    private let source: any TransportSource
    private var failure: TransportError?
    private var isLookedAt = true

    /// Creates a source at the start of an input.
    package init(_ source: any TransportSource) {
        self.source = source
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if let failure { throw failure }
        guard isLookedAt else { return unsafe try source.read(into: buffer) }
        do throws(TransportError) {
            return unsafe try source.read(into: buffer)
        } catch {
            failure = error
            return 0
        }
    }

    /// Ends the look at the start; the bytes that came are handed out by others.
    ///
    /// - Throws: What broke the input off before its first byte.
    package func endLook(after bytes: [UInt8]) throws(TransportError) {
        isLookedAt = false
        if let failure, bytes.isEmpty { throw failure }
    }

    package var expectedByteCount: Int64? { source.expectedByteCount }

    package var meter: TransportMeter? { source.meter }

    /// What came before an interruption is handed out.
    package var drainsWhenInterrupted: Bool { failure != nil || source.drainsWhenInterrupted }
}
