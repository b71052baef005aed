internal import WeirCore
package import WeirRecords

/// Reads what is in a compressed file, by the program of the system for it.
///
/// Several compressed pieces one after the other are read like one. A piece that is damaged or cut off is an error, after
/// all that could be read before.
///
/// Safety: the descriptor is open as long as the source lives.
package final class DecompressingSource: PositionedSource {
    package let expectedByteCount: Int64? = nil

    private let address: String
    private let interruption: Interruption?
    private let process: FilterProcess
    private let descriptor: Int32
    private var isAtEnd = false

    /// The file, and how many of the bytes that are in it were handed out.
    package private(set) var position: SourcePosition?

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - file: A descriptor of the file; it is not needed any more afterwards.
    ///   - address: What to call it in messages.
    ///   - form: How it is compressed.
    ///   - interruption: What ends the waiting, where something can.
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` when the program cannot be started.
    init(
        of file: Int32,
        address: String,
        form: Compression,
        interruption: Interruption?
    ) throws(TransportError) {
        self.address = address
        self.interruption = interruption
        guard let ends = SystemCalls.makeBlockingPipe() else {
            throw .cannotOpen(address: address, reason: SystemCalls.describe(SystemCalls.lastError))
        }
        defer { SystemCalls.closeDescriptor(ends.writing) }
        do throws(FilterProcess.SpawnError) {
            process = try FilterProcess(form.program, ["-dc"], input: file, output: ends.writing)
        } catch {
            SystemCalls.closeDescriptor(ends.reading)
            throw .cannotOpen(address: address, reason: error.description(form))
        }
        descriptor = ends.reading
        position = SourcePosition(of: file, at: 0)
        SystemCalls.stopBlocking(descriptor)
    }

    deinit {
        SystemCalls.closeDescriptor(descriptor)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        let sources = [descriptor, process.messages] + (interruption.map { [$0.sourceDescriptor] } ?? [])
        while !isAtEnd {
            _ = SystemCalls.wait(forAnyOf: sources, milliseconds: -1)
            if let interruption, interruption.stopsSources { throw .interrupted(address: address) }
            process.readMessages()
            let count = unsafe SystemCalls.readBytes(descriptor, into: buffer)
            if count > 0 {
                position?.offset += Int64(count)
                return count
            }
            if count == 0 {
                isAtEnd = true
                // bzip2 ends well where it has left out what follows; it only says so.
                if let fault = process.finish() ?? process.said {
                    throw .readFailed(address: address, reason: "what is compressed is damaged or cut off: \(fault)")
                }
                return 0
            }
            switch SystemCalls.lastError {
            case SystemCalls.interruptedCall, SystemCalls.wouldBlock: continue
            case let error: throw .readFailed(address: address, reason: SystemCalls.describe(error))
            }
        }
        return 0
    }

    /// The form in which a file is compressed; `nil` for one that is not, and for what is no file.
    static func form(ofFile descriptor: Int32) -> Compression? {
        guard SystemCalls.facts(about: descriptor)?.kind == .regularFile else { return nil }
        let place = SystemCalls.position(in: descriptor)
        return Compression(
            beginning: SystemCalls.readBytes(descriptor, at: place, count: Compression.markLength)
        )
    }
}
