internal import WeirCore
internal import WeirRecords

/// Writes a compressed file, by the program of the system for it.
///
/// What is written is in the file for certain when the sink is finished. However it or the process ends, the program writes
/// all that it was given, and what ends the file.
///
/// Safety: the descriptors are open as long as the sink needs them; it closes them.
final class CompressingSink: TransportSink {
    private let file: Int32
    private let address: String
    private let form: Compression
    private let emptiesFile: Bool

    private var process: FilterProcess?

    /// The pipe to the program; negative while there is none.
    private var pipe: Int32 = -1

    /// What went wrong: nothing can be written any more.
    private var fault: TransportError?

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - file: A descriptor of the file, which the sink closes, also when it throws.
    ///   - address: What to call it in messages.
    ///   - form: How to compress.
    ///   - emptiesFile: Whether the first write, or the end, removes what is in the file; until then it stays.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the program cannot be started.
    init(_ file: Int32, address: String, form: Compression, emptiesFile: Bool) throws(TransportError) {
        self.file = file
        self.address = address
        self.form = form
        self.emptiesFile = emptiesFile
        // Found out now, while what is in the file already still is.
        guard let ends = SystemCalls.makeBlockingPipe() else {
            throw .cannotOpen(address: address, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        defer { for end in [ends.reading, ends.writing] { SystemCalls.closeDescriptor(end) } }
        do throws(FilterProcess.SpawnError) {
            // Ended again at once.
            _ = try FilterProcess(form.program, ["--version"], input: ends.reading, output: ends.writing)
        } catch {
            throw .cannotOpen(address: address, reason: error.description(form))
        }
    }

    deinit {
        endPipe()
        _ = process?.finish()
        SystemCalls.closeDescriptor(file)
    }

    /// Hands all of the bytes to the program; none at all still remove what was in the file, where that is wanted.
    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        try begin()
        let error = unsafe bytes.withUnsafeBytes { unsafe writeAll($0) }
        guard let error else { return }
        // It has ended before its input did.
        let reason = process?.finish() ?? SystemCalls.describe(error)
        throw fail(reason)
    }

    /// Waits until the program has written everything, and until that is on the disk.
    func finish() throws(TransportError) {
        try begin()
        endPipe()
        if let reason = process?.finish() { throw fail(reason) }
        guard SystemCalls.synchronize(file) else { throw fail(SystemCalls.describe(SystemCalls.lastError)) }
    }

    private func fail(_ reason: String) -> TransportError {
        let error = TransportError.writeFailed(address: address, reason: reason)
        fault = error
        return error
    }

    /// Empties the file and starts the program, unless that was done.
    private func begin() throws(TransportError) {
        if let fault { throw fault }
        guard process == nil else { return }
        if emptiesFile, !SystemCalls.emptyFile(file) { throw fail(SystemCalls.describe(SystemCalls.lastError)) }
        guard let ends = SystemCalls.makeBlockingPipe() else {
            throw fail(SystemCalls.describe(SystemCalls.lastError))
        }
        defer { SystemCalls.closeDescriptor(ends.reading) }
        do throws(FilterProcess.SpawnError) {
            process = try FilterProcess(form.program, ["-c"], input: ends.reading, output: file)
        } catch {
            SystemCalls.closeDescriptor(ends.writing)
            throw fail(error.description(form))
        }
        pipe = ends.writing
    }

    private func endPipe() {
        if pipe >= 0 { SystemCalls.closeDescriptor(exchange(&pipe, with: -1)) }
    }

    /// Writes all of the bytes to the pipe.
    ///
    /// - Returns: The number of the error that stopped it, if one did.
    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let count = unsafe SystemCalls.writeBytes(pipe, UnsafeRawBufferPointer(rebasing: rest))
            if count >= 0 {
                unsafe rest = rest.dropFirst(count)
            } else if SystemCalls.lastError != SystemCalls.interruptedCall {
                return SystemCalls.lastError
            }
        }
        return nil
    }
}
