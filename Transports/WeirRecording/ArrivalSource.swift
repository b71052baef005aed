internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords

/// Reads the bytes of a recording, at the pace of their arrival or as fast as they are asked for.
///
/// Damage ends it with an error, after everything before the damage; a frame at the end that was never completed is left
/// out, with a notice.
final class ArrivalSource: TransportSource {
    let expectedByteCount: Int64? = nil
    let meter: TransportMeter? = TransportMeter()

    private let path: String
    private let speed: ReplaySpeed
    private let interruption: Interruption?
    private let clock: any TimeSource
    private let parker = Parker()
    private var contents: RecordingContents
    private var schedule: ReplaySchedule?
    /// What is left of the current piece, in the bytes of the scanner.
    private var rest = 0..<0
    /// When the current piece is due; `nil` for at once.
    private var due: Timestamp?
    private var isAtEnd = false
    /// Why it cannot go on.
    private var failure: TransportError?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - storage: The recording.
    ///   - speed: How fast its times go by.
    ///   - interruption: What ends the waiting, where something can.
    ///   - clock: Says what time it is now.
    /// - Throws: ``RecordingError`` for what is no recording.
    init(
        _ storage: any RecordingStorage,
        speed: ReplaySpeed,
        interruption: Interruption?,
        clock: any TimeSource = MonotonicClock()
    ) throws(RecordingError) {
        path = storage.path
        self.speed = speed
        self.interruption = interruption
        self.clock = clock
        contents = try RecordingContents(storage)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        var count = 0
        while count < buffer.count {
            if let interruption, interruption.stopsSources {
                // What is in the buffer already is handed on before a pause.
                guard count == 0 || interruption.isTriggered else { break }
                throw .interrupted(address: path)
            }
            if rest.isEmpty {
                do throws(TransportError) {
                    guard try advance() else { break }
                } catch {
                    // The error comes again with the next call.
                    guard count == 0 else { break }
                    throw error
                }
            }
            if let due, clock.now() < due {
                guard count == 0 else { break }
                try wait(until: due)
            }
            let taken = rest.prefix(buffer.count - count)
            unsafe contents.scanner.bytes.withUnsafeBytes { bytes in
                let place = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                unsafe place.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken]))
            }
            count += taken.count
            rest = taken.upperBound..<rest.upperBound
        }
        return count
    }

    /// Goes on to the next piece.
    ///
    /// - Returns: False at the end.
    private func advance() throws(TransportError) -> Bool {
        guard !isAtEnd else { return false }
        if let failure { throw failure }
        do throws(RecordingError) {
            guard let frame = try contents.next() else {
                isAtEnd = true
                if contents.scanner.cutBytes > 0 {
                    meter?.note("'\(path)' ends with \(contents.scanner.cutBytes) bytes of a piece that is not whole")
                }
                return false
            }
            let name = contents.types[frame.type]
            guard name == ArrivalFormat.typeName else {
                throw .corrupted(
                    offset: contents.scanner.offset,
                    reason: "it holds events of the type \(name), which a program recorded, and no bytes that arrived"
                )
            }
            guard let bytes = ArrivalFormat.bytes(in: frame.body, of: contents.scanner.bytes) else {
                throw .corrupted(offset: contents.scanner.offset, reason: "a piece without bytes")
            }
            rest = bytes
            let arrival = Timestamp(nanosecondsSinceEpoch: frame.dispatchTime)
            if schedule == nil { schedule = ReplaySchedule(speed, first: arrival, start: clock.now()) }
            due = schedule?.due(arrival)
            return true
        } catch {
            let failure = TransportError(error, path: path, whileReading: true)
            self.failure = failure
            throw failure
        }
    }

    private func wait(until due: Timestamp) throws(TransportError) {
        while true {
            let left = (due - clock.now()).wholeNanoseconds
            guard left > 0 else { return }
            guard let interruption, left >= 1_000_000 else {
                parker.park(until: due)
                continue
            }
            // The last millisecond is waited for more exactly.
            _ = SystemCalls.wait(
                for: interruption.sourceDescriptor,
                milliseconds: Int32(min(left / 1_000_000, 3_600_000))
            )
            if interruption.stopsSources { throw .interrupted(address: path) }
        }
    }
}
