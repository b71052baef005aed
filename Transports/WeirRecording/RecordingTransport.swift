internal import WeirCore
public import WeirFiles
public import WeirRecords

/// Recordings of the bytes that arrived somewhere, with the time of each arrival.
///
/// The file is that of ``RecordingReader``: frames with checksums, so that damage is found, and an end that was never
/// written is told from damage. A sink begins a new recording with its first write, in the place of what was there, or
/// with `append=true` goes on behind the last whole piece; a file that another program records to is refused. A source
/// hands out all bytes at once, or with `speed=1x` as they came.
///
/// Thread safety: a value; each source and sink is used by one thread at a time.
public struct RecordingTransport: Transport {
    public let scheme = "recording"
    public let summary =
        "A recording, PATH: bytes with the times of their arrival; a source, and a sink that begins a new one."

    private let interruption: Interruption?

    /// Creates the transport.
    ///
    /// - Parameter interruption: What ends the waiting of its sources, where something can.
    public init(interruption: Interruption? = nil) {
        self.interruption = interruption
    }

    public var sourceOptions: [OptionDeclaration] {
        [
            OptionDeclaration(
                "speed",
                .text(placeholder: "SPEED"),
                default: "max",
                help: "1x as it came, 10x, 0.5x and so on, or max for at once"
            )
        ]
    }

    public var sinkOptions: [OptionDeclaration] {
        [
            OptionDeclaration(
                "append",
                .flag,
                default: "false",
                help: "keep the recording that is there and go on behind its last whole piece"
            )
        ]
    }

    public func openSource(_ address: String) throws(TransportError) -> any TransportSource {
        let parts = try TransportAddress(ofSource: address, self)
        let text = parts.options.text("speed")
        guard let speed = ReplaySpeed(text) else {
            throw .badAddress(address: parts.place, reason: "the speed '\(text)' is neither max nor of the form 10x")
        }
        return try openSource(path: parts.place, speed: speed)
    }

    /// Opens a source.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - speed: How fast the times of the recording go by.
    /// - Returns: A source at the start of its bytes.
    /// - Throws: `TransportError` when it cannot be opened, or is no recording.
    public func openSource(path: String, speed: ReplaySpeed) throws(TransportError) -> any TransportSource {
        do throws(RecordingError) {
            return try ArrivalSource(FileStorage(path: path, writing: false), speed: speed, interruption: interruption)
        } catch {
            throw TransportError(error, path: path, whileReading: false)
        }
    }

    public func openSink(_ address: String) throws(TransportError) -> any TransportSink {
        let parts = try TransportAddress(ofSink: address, self)
        do throws(RecordingError) {
            let clock = SteadyClock()
            let storage = try FileStorage(path: parts.place, writing: true)
            let appends = parts.options.flag("append")
            return try ArrivalSink(storage, creation: clock.now(), clock: clock, appends: appends)
        } catch {
            throw TransportError(error, path: parts.place, whileReading: false)
        }
    }

    /// Whether there is a recording at a path; nothing but a file is opened.
    ///
    /// - Parameter path: Relative paths start in the current folder.
    /// - Returns: False also where the file cannot be read.
    public static func isRecording(_ path: String) -> Bool {
        let wanted = RecordingFormat.magic
        var start: [UInt8] = []
        guard
            FileIdentity(path: path) != nil,
            let storage = try? FileStorage(path: path, writing: false),
            let count = try? storage.read(at: 0, upTo: wanted.count, into: &start), count > 0
        else { return false }
        return start == wanted
    }
}
