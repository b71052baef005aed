internal import WeirCore
internal import WeirFiles
package import WeirRecords

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What arrived at an input that cannot be read again, in recordings, until checkpoints cover it.
///
/// The bytes of the input are counted from the first that was ever kept. A segment is a recording whose name has the place
/// of its first byte; another one begins with each checkpoint, so that what is covered can be removed.
///
/// Thread safety: any thread. One at a time opens sources and reads them.
package final class Journal: Sendable {
    /// What happens where there is no room, or the disk takes nothing.
    package enum Policy: String, CaseIterable, Sendable {
        /// The input fails: nothing is processed that is not kept.
        case stop
        /// What comes is processed and not kept; a kill then costs it.
        case lose
    }

    /// How and how much is kept.
    package struct Settings: Sendable {
        /// How many bytes of what arrived there may be that no checkpoint covers.
        package let limit: Int64
        package let policy: Policy
        /// Whether to wait for the disk with each piece.
        package let isDurable: Bool
        /// Whether what stands behind damage in a segment is cut off, with a notice; otherwise it is an error.
        package let dropsDamage: Bool

        package init(limit: Int64, policy: Policy, isDurable: Bool, dropsDamage: Bool = false) {
            (self.limit, self.policy, self.isDurable) = (limit, policy, isDurable)
            self.dropsDamage = dropsDamage
        }
    }

    /// A recording, and the bytes that are in it.
    struct Segment: Sendable {
        let path: String
        let start: Int64
        var count: Int64
        var end: Int64 { start + count }
    }

    private struct State: Sendable {
        var segments: [Segment] = []
        /// Up to where the last checkpoints reach, the newest last.
        var covered: [Int64] = []
        var endsSegment = false
        var lostBytes: UInt64 = 0
    }

    package let settings: Settings
    let folder: String
    private let prefix: String
    private let state = Locked(State())

    /// A segment that is not whole.
    private struct Damage: Sendable {
        let name: String
        let reason: String
        /// How many bytes of the file are whole; `nil` where none is.
        let wholeCount: Int64?
    }

    private let damage: Locked<[Damage]>

    /// How many checkpoints may be gone back to.
    private static let checkpointCount = 3

    /// Opens what was kept before; the folder must be there, and nobody else may use it.
    ///
    /// - Parameters:
    ///   - folder: Where the segments are.
    ///   - input: What the input is called; another input has other segments.
    ///   - settings: How and how much is kept.
    /// - Throws: `TransportError` when a segment cannot be read.
    package init(in folder: String, of input: String, _ settings: Settings) throws(TransportError) {
        self.folder = folder
        self.settings = settings
        prefix = "journal-\(Self.digits(Self.hash(of: input), radix: 16, count: 16))-"
        var segments: [Segment] = []
        var damage: [Damage] = []
        for name in FileSystem.names(inFolder: folder) ?? [] {
            guard name.hasPrefix(prefix), let start = Int64(name.dropFirst(prefix.count)), start >= 0 else { continue }
            let path = "\(folder)/\(name)"
            let (count, error) = Self.byteCount(ofRecording: path)
            if let error {
                guard settings.dropsDamage, let reason = Self.damage(error) else {
                    throw Self.refusal(of: error, path)
                }
                var wholeCount: Int64?
                if case .corrupted(let offset, _) = error, count > 0 { wholeCount = Int64(offset) }
                damage.append(Damage(name: name, reason: reason, wholeCount: wholeCount))
            } else if count == 0 {
                // A file that was made and never written, or of which a power cut left nothing.
                unsafe unlink(path)
            }
            if count > 0 { segments.append(Segment(path: path, start: start, count: count)) }
        }
        self.damage = Locked(damage)
        state.withLock { $0.segments = segments }
    }

    /// Removes what is damaged from the segments, before anything is written behind it.
    ///
    /// Not when the journal is opened: it may be opened to be looked at.
    ///
    /// - Returns: What was removed, a line each.
    /// - Throws: `TransportError` when that is not possible.
    func removeDamage() throws(TransportError) -> [String] {
        let damage = damage.withLock { damage in
            defer { damage = [] }
            return damage
        }
        var notices: [String] = []
        for part in damage {
            let path = "\(folder)/\(part.name)"
            if let count = part.wholeCount {
                try FileSystem.cutFile(path, to: count)
                notices.append("'\(path)': \(part.reason); what stood behind that is dropped")
            } else {
                let other = "damaged-\(part.name)"
                guard unsafe rename(path, "\(folder)/\(other)") == 0 else {
                    throw .writeFailed(address: path, reason: "it is damaged, and cannot be renamed")
                }
                notices.append("'\(path)': \(part.reason); nothing of it is read, and it is now called '\(other)'")
            }
        }
        return notices
    }

    private static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func digits(_ number: UInt64, radix: Int, count: Int) -> String {
        let text = String(number, radix: radix)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    /// How many bytes arrived that are whole in a recording.
    private static func byteCount(ofRecording path: String) -> (count: Int64, error: RecordingError?) {
        var count: Int64 = 0
        do throws(RecordingError) {
            let storage = try FileStorage(path: path, writing: false)
            guard try storage.size() > 0 else { return (0, nil) }
            var contents = try RecordingContents(storage)
            while let frame = try contents.next() {
                count += Int64(ArrivalFormat.bytes(in: frame.body, of: contents.scanner.bytes)?.count ?? 0)
            }
            return (count, nil)
        } catch {
            return (count, error)
        }
    }

    /// What is damaged; `nil` for errors of the system.
    private static func damage(_ error: RecordingError) -> String? {
        switch error {
        case .cannotOpen, .inUse, .readFailed, .writeFailed, .newerVersion: nil
        case .notARecording: "it is not a recording"
        default: "\(error)"
        }
    }

    private static func refusal(of error: RecordingError, _ path: String) -> TransportError {
        guard let reason = damage(error) else { return TransportError(error, path: path, whileReading: true) }
        return .readFailed(
            address: path,
            reason: "\(reason); --state-mismatch drop goes on without what stands behind that"
        )
    }

    // MARK: What is there

    /// The segments, in their order.
    var segments: [Segment] { state.withLock { $0.segments } }

    /// Where what was kept begins, and where it ends.
    package var extent: Range<Int64> {
        state.withLock { state in
            let end = state.segments.last?.end ?? state.covered.last ?? 0
            return (state.segments.first?.start ?? end)..<end
        }
    }

    /// How many bytes are kept.
    package var byteCount: Int64 { state.withLock { Self.byteCount($0) } }

    private static func byteCount(_ state: State) -> Int64 { state.segments.reduce(0) { $0 + $1.count } }

    /// How many bytes were processed and not kept.
    package var lostByteCount: UInt64 { state.withLock { $0.lostBytes } }

    /// Whether a checkpoint would be of use before it is due.
    package var wantsCheckpoint: Bool { byteCount > settings.limit / 2 }

    // MARK: Writing

    /// Whether there is room for some bytes more.
    func hasRoom(for count: Int) -> Bool { byteCount + Int64(count) <= settings.limit }

    /// Where the next bytes go: a new segment where one is due, or this one has another place.
    ///
    /// - Returns: The path of a new segment; `nil` to go on with the one that is written.
    func newSegment(at place: Int64, isFirst: Bool) -> String? {
        state.withLock { state in
            guard isFirst || state.endsSegment else { return nil }
            state.endsSegment = false
            let path = "\(folder)/\(prefix)\(Self.digits(UInt64(place), radix: 10, count: 20))"
            // One that could not be opened or written is tried again.
            if state.segments.last?.count == 0 { state.segments.removeLast() }
            state.segments.append(Segment(path: path, start: place, count: 0))
            return path
        }
    }

    func noteWritten(_ count: Int) {
        state.withLock { state in
            guard !state.segments.isEmpty else { return }
            state.segments[state.segments.count - 1].count += Int64(count)
        }
    }

    func noteLost(_ count: Int) { state.withLock { $0.lostBytes += UInt64(count) } }

    // MARK: Removing

    /// Notes where the checkpoint reaches that a run goes on from.
    func begin(at place: Int64) { state.withLock { $0.covered = [place] } }

    /// Notes that a checkpoint covers the bytes before a place, and removes what is needed no more.
    ///
    /// What the last three checkpoints need is kept, because the newest may turn out to be damaged; only that of the newest
    /// where the room becomes scarce.
    package func noteCheckpoint(covering place: Int64) {
        let paths = state.withLock { state in
            state.covered.append(place)
            if state.covered.count > Self.checkpointCount { state.covered.removeFirst() }
            let isScarce = Self.byteCount(state) > settings.limit / 2
            let isKnown = state.covered.count == Self.checkpointCount
            let needed = isScarce ? place : isKnown ? state.covered.min() ?? 0 : 0
            var paths: [String] = []
            // The last one may be written just now.
            while state.segments.count > 1, state.segments[0].end <= needed {
                paths.append(state.segments.removeFirst().path)
            }
            if let last = state.segments.last, last.count > 0 { state.endsSegment = true }
            return paths
        }
        for path in paths { unsafe unlink(path) }
    }
}
