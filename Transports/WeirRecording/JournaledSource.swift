internal import WeirCore
internal import WeirFiles
package import WeirRecords

/// A source whose bytes are written to a journal before they are handed out, and which begins with those that are there.
///
/// Messages are whole in the journal: each is in one piece of a recording, so that what comes after a kill, perhaps the same
/// message again, never goes on in the half of one.
///
/// Thread safety: one thread at a time, but for the journal.
package final class JournaledSource: PositionedSource {
    package let expectedByteCount: Int64? = nil

    private let source: any TransportSource
    private let messages: (any MessageSource)?
    private let journal: Journal

    /// What of the journal is still to be handed out.
    private var replayed: ArraySlice<Journal.Segment>
    private var replay: ArrivalSource?

    /// Where the next byte comes from, or goes to, in the journal.
    private var place: Int64
    private var sink: ArrivalSink?
    private let clock = SteadyClock()

    /// What was received and not handed out, and whether the journal has it.
    private var ahead: ArraySlice<UInt8> = []
    private var hasAhead = true

    /// The line that all senders begin with, as far as it was read again; `nil` where nobody wants to know.
    private var header: [UInt8]?

    /// What the source gave before it failed within a message.
    private var begun: [UInt8] = []

    /// How many bytes the source gave.
    private var receivedCount: Int64 = 0
    private var saidThatItIsLost = false

    /// How many bytes are read at a time, and how many messages can have that are received together.
    private static let share = 64 << 10
    private static let longest = 15 << 20

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - source: Where bytes arrive that cannot be read again.
    ///   - journal: What keeps them.
    ///   - place: Where in the journal to begin.
    ///   - head: What came before that place and says what follows, such as a line with the names of columns.
    /// - Throws: `TransportError` when the journal does not have what comes behind the place, or cannot be written.
    package init(
        _ source: any TransportSource,
        _ journal: Journal,
        from place: Int64,
        behind head: [UInt8] = []
    ) throws(TransportError) {
        let extent = journal.extent
        // Where it ends before the place, a power cut took what a checkpoint covers.
        guard place >= extent.lowerBound || extent.isEmpty else {
            throw .cannotOpen(
                address: journal.folder,
                reason: "the journal begins with byte \(extent.lowerBound), and \(place) were processed"
            )
        }
        self.source = source
        meter = source.meter ?? TransportMeter()
        self.journal = journal
        self.place = place
        messages = source as? any MessageSource
        header = messages?.sharesHeader ?? false ? head : nil
        replayed = journal.segments.drop { $0.end <= place }
        for notice in try journal.removeDamage() { meter?.note(notice) }
        journal.begin(at: place)
    }

    package var position: SourcePosition? {
        SourcePosition(offset: hasAhead ? place - Int64(ahead.count) : place)
    }

    /// That of the source, or its own: what is lost is said also of sources that lose nothing themselves.
    package let meter: TransportMeter?

    package var drainsWhenInterrupted: Bool { source.drainsWhenInterrupted }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        if ahead.isEmpty {
            let again = unsafe try readAgain(into: buffer)
            guard again == 0 else { return again }
            try receive(buffer.count)
        }
        let count = min(buffer.count, ahead.count)
        unsafe buffer.copyBytes(from: ahead.prefix(count))
        ahead.removeFirst(count)
        return count
    }

    // MARK: What was kept

    /// Reads what is in the journal already.
    ///
    /// - Returns: 0 behind its end.
    private func readAgain(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        while let segment = replayed.first {
            if replay == nil {
                if place < segment.start {
                    meter?.note(
                        "'\(journal.folder)': \(segment.start - place) bytes of the journal are missing, which the disk "
                            + "did not have; what follows them is read"
                    )
                    place = segment.start
                }
                let source: ArrivalSource
                do throws(RecordingError) {
                    let storage = try FileStorage(path: segment.path, writing: false)
                    source = try ArrivalSource(storage, speed: .unpaced, interruption: nil)
                } catch {
                    throw TransportError(error, path: segment.path, whileReading: true)
                }
                try source.skip(place - segment.start, address: segment.path)
                replay = source
            }
            // Not further than what is whole.
            let wanted = Int(min(Int64(buffer.count), segment.end - place))
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = wanted > 0 ? unsafe try replay?.read(into: part) ?? 0 : 0
            guard count == 0 else {
                place += Int64(count)
                unsafe noteHeader(buffer[..<count])
                return count
            }
            replay = nil
            replayed.removeFirst()
        }
        return 0
    }

    private func noteHeader(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {
        guard let header, Self.firstLine(of: header) == nil else { return }
        unsafe self.header?.append(contentsOf: bytes)
        // Only the first line that has something is of interest.
        if let line = self.header.flatMap(Self.firstLine) { self.header = line + [UInt8(ascii: "\n")] }
    }

    /// The first line that is not blank, without its end; `nil` where it is not whole.
    private static func firstLine(of bytes: [UInt8]) -> [UInt8]? {
        let (newline, mark) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let text = bytes.drop { $0 == newline || $0 == mark }
        guard let end = text.firstIndex(of: newline) else { return nil }
        let line = text[..<end]
        return Array(line.last == mark ? line.dropLast() : line)
    }

    // MARK: What arrives

    /// Waits for something, and keeps it; nothing is ahead at the end of the source.
    private func receive(_ wanted: Int) throws(TransportError) {
        if let header {
            self.header = nil
            if let line = Self.firstLine(of: header) { messages?.goOn(behind: line) }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: messages == nil ? min(wanted, Self.share) : Self.share,
            alignment: 1
        )
        // Allocated above; nothing else refers to it.
        defer { unsafe buffer.deallocate() }
        var bytes = exchange(&begun, with: [])
        repeat {
            let count: Int
            do throws(TransportError) {
                count = unsafe try source.read(into: buffer)
            } catch {
                // After a pause it goes on there.
                begun = bytes
                throw error
            }
            guard count > 0 else { break }
            unsafe bytes += buffer[..<count]
            guard bytes.count <= Self.longest else {
                throw .readFailed(
                    address: journal.folder,
                    reason: "messages of more than \(Self.longest >> 20) MiB cannot be kept; lower what the input takes"
                )
            }
        } while !(messages?.isBetweenMessages ?? true)
        guard !bytes.isEmpty else { return }
        receivedCount += Int64(bytes.count)
        let before = place
        do throws(TransportError) {
            try keep(bytes)
            hasAhead = true
            (source as? any AcknowledgingSource)?.acknowledge(receivedCount)
        } catch {
            guard journal.settings.policy == .lose else { throw error }
            hasAhead = place > before
            if !hasAhead { journal.noteLost(bytes.count) }
            if !saidThatItIsLost {
                meter?.note("\(error); what comes until the next checkpoint is lost with a kill")
                saidThatItIsLost = true
            }
        }
        ahead = bytes[...]
    }

    private func keep(_ bytes: [UInt8]) throws(TransportError) {
        guard journal.hasRoom(for: bytes.count) else {
            throw .writeFailed(
                address: journal.folder,
                reason: "the journal has no room left: no checkpoint could be written for \(journal.byteCount) bytes"
            )
        }
        if let path = journal.newSegment(at: place, isFirst: sink == nil) {
            sink = nil
            do throws(RecordingError) {
                let storage = try FileStorage(path: path, writing: true)
                sink = try ArrivalSink(storage, creation: clock.now(), clock: clock, longest: Self.longest)
            } catch {
                throw TransportError(error, path: path, whileReading: false)
            }
        }
        guard let sink else { return }
        try sink.write(ContiguousArray(bytes).span)
        if journal.settings.isDurable {
            do throws(TransportError) {
                try sink.finish()
                try FileSystem.synchronizeFolder(journal.folder)
            } catch {
                // It is in the file all the same, and counts as a part of it where the run goes on.
                if journal.settings.policy == .lose { note(bytes.count) }
                throw error
            }
        }
        note(bytes.count)
        saidThatItIsLost = false
    }

    private func note(_ count: Int) {
        journal.noteWritten(count)
        place += Int64(count)
    }
}
