internal import WeirRecords

/// How long a pipeline waits for an output that fails, such as a file on a full disk.
struct OutputPatience: Sendable {
    /// Waits before an output is tried again; told how often in a row it has failed, and why.
    ///
    /// - Returns: False where it is not to be tried again.
    let wait: @Sendable (_ failures: Int, _ error: TransportError) -> Bool

    /// Called when the output has taken what it did not take before.
    let resume: @Sendable () -> Void
}

/// Tries again what an output did not take, so that nothing is lost or written twice; until then the inputs wait.
final class PatientSink: TransportSink {
    private let sink: any TransportSink
    private let patience: OutputPatience
    private var hasGivenUp = false

    /// Creates a sink.
    init(_ sink: any TransportSink, _ patience: OutputPatience) {
        self.sink = sink
        self.patience = patience
    }

    var meter: TransportMeter? { sink.meter }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        var failures = 0
        while let error = try attempt(bytes) {
            failures += 1
            guard !hasGivenUp, patience.wait(failures, error) else {
                hasGivenUp = true
                throw error
            }
        }
        if failures > 0 { patience.resume() }
    }

    /// Writes the bytes.
    ///
    /// - Returns: Why the output did not take them, where it may take them later.
    private func attempt(_ bytes: Span<UInt8>) throws(TransportError) -> TransportError? {
        do throws(TransportError) {
            try sink.write(bytes)
            return nil
        } catch {
            guard case .writeFailed = error else { throw error }
            return error
        }
    }

    func finish() throws(TransportError) { try sink.finish() }
}

extension TransportSink {
    /// The same sink, which waits for its file where that fails; sockets have ways of their own.
    func patient(_ patience: OutputPatience?, at address: Address) -> any TransportSink {
        // A program that compresses has ended with the first failure.
        let isCompressed = address.isFile && Compression(endingOf: address.path) != nil
        guard let patience, !isCompressed, address.isFile || address.isRecording || address.transport.scheme == "stdout"
        else {
            return self
        }
        return PatientSink(self, patience)
    }
}
