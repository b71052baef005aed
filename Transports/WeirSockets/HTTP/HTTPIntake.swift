internal import CWeirSockets
internal import WeirCore
internal import WeirRecords

/// Takes the messages of requests apart: the bytes for the reader, the counts for the meter, and the words for the client.
struct HTTPIntake {
    /// What became of a request.
    struct Outcome {
        var accepted: UInt64 = 0
        var rejected: UInt64 = 0

        /// The first of the messages that were refused: which one, counted from 1, and why.
        var errors: [(line: UInt64, reason: String)] = []

        /// How many of them are told.
        static let errorLimit = 20

        /// The words for the client.
        var json: String {
            var text = "{\"accepted\":\(accepted),\"rejected\":\(rejected)"
            if !errors.isEmpty {
                let list = errors.map { "{\"line\":\($0.line),\"reason\":\(JSONWriter.quoted($0.reason))}" }
                text += ",\"errors\":[\(list.joined(separator: ","))]"
            }
            return text + "}"
        }
    }

    /// What the reader has not taken yet.
    private var staged: [UInt8] = []
    private var start = 0

    private let boundary: Boundary
    private let lineLimit: Int
    private let sharesHeader: Bool
    private let meter: TransportMeter
    /// The line that all bodies begin with, once one came.
    var header: [UInt8]?

    init(_ settings: HTTPSourceSettings, _ meter: TransportMeter) {
        boundary = settings.boundary
        lineLimit = settings.lineLimit
        sharesHeader = settings.sharesHeader
        self.meter = meter
    }

    var isEmpty: Bool { start == staged.count }

    /// How many bytes wait for the reader.
    var byteCount: Int { staged.count - start }

    /// Hands bytes to the reader.
    ///
    /// - Returns: How many.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, staged.count - start)
        unsafe buffer.copyBytes(from: staged[start..<start + count])
        start += count
        if isEmpty {
            staged.removeAll(keepingCapacity: staged.capacity <= 1 << 20)
            start = 0
        }
        return count
    }

    /// Takes the body of a whole request.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - isJSON: Whether it is said to be JSON, and not lines or frames. An array of objects is taken as one all the same.
    ///   - socket: The connection that it came over.
    /// - Returns: What became of it.
    /// - Throws: ``HTTPFlaw`` where it is refused as a whole: nothing of it was taken then, or counted.
    mutating func take(_ body: [UInt8], isJSON: Bool, from socket: Int32) throws(HTTPFlaw) -> Outcome {
        guard boundary == .lines else { return try takeFrames(body, from: socket) }
        var outcome = Outcome()
        let before = staged.count
        if let lines = try Self.elements(of: body, isJSON: isJSON, sharesHeader: sharesHeader) {
            for line in lines { take(line, &outcome, from: socket) }
            count(outcome, bytes: staged.count - before)
            return outcome
        }
        var rest = body[...]
        if sharesHeader {
            // Blank lines in front of it mean nothing.
            rest = rest.drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            if !rest.isEmpty { try takeHeader(&rest, &outcome, from: socket) }
        }
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count)
            guard rest.popFirst() == nil else {
                take(body[line.startIndex...line.endIndex], &outcome, from: socket)
                continue
            }
            // The end of the body ends its last line.
            take(line + [UInt8(ascii: "\n")], &outcome, from: socket)
        }
        count(outcome, bytes: staged.count - before)
        return outcome
    }

    /// The elements of a body that is JSON; `nil` for lines.
    private static func elements(
        of body: [UInt8],
        isJSON: Bool,
        sharesHeader: Bool
    ) throws(HTTPFlaw) -> [ArraySlice<UInt8>]? {
        var lines: [ArraySlice<UInt8>] = []
        if !isJSON {
            // Clients that send an array often forget to say so. Lines may begin so as well, but are no array as a whole.
            let signs = body.lazy.filter { $0 > UInt8(ascii: " ") }.prefix(2)
            guard !sharesHeader, signs.elementsEqual("[{".utf8),
                (try? JSONElements.split(body) { lines.append(ArraySlice(Array($0))) }) != nil
            else { return nil }
            return lines
        }
        try JSONElements.split(body) { lines.append(ArraySlice(Array($0))) }
        return lines
    }

    /// Takes the first line of a body, or passes it over where it repeats the header.
    private mutating func takeHeader(
        _ rest: inout ArraySlice<UInt8>,
        _ outcome: inout Outcome,
        from socket: Int32
    ) throws(HTTPFlaw) {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        let text = Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        guard text.count <= lineLimit else {
            // What follows would be read by the names of another line.
            throw HTTPFlaw(413, "the header is longer than \(lineLimit) bytes; 'max-line' permits more")
        }
        guard let header else {
            header = text
            take(text + [UInt8(ascii: "\n")], &outcome, from: socket)
            return
        }
        guard header == text else {
            throw HTTPFlaw(422, "the body begins with another header than the first one that came")
        }
        meter.update { metrics in
            metrics.arrived += 1
            metrics[.header] += 1
        }
    }

    /// Takes a line with its newline.
    private mutating func take(_ line: some Collection<UInt8>, _ outcome: inout Outcome, from socket: Int32) {
        guard line.count - 1 <= lineLimit else {
            reject("longer than \(lineLimit) bytes; 'max-line' permits more", Array(line.dropLast()), &outcome, socket)
            return
        }
        staged += line
        outcome.accepted += 1
    }

    private func reject(_ reason: String, _ bytes: [UInt8], _ outcome: inout Outcome, _ socket: Int32) {
        outcome.rejected += 1
        if outcome.errors.count < Outcome.errorLimit {
            outcome.errors.append((outcome.accepted + outcome.rejected, reason))
        }
        unsafe bytes.withUnsafeBytes { unsafe meter.keepRejected($0, .tooLong) { Self.origin(socket) } }
    }

    private mutating func takeFrames(_ body: [UInt8], from socket: Int32) throws(HTTPFlaw) -> Outcome {
        var outcome = Outcome()
        let before = staged.count
        var ends: [Int] = []
        var place = 0
        while place < body.count {
            let length = unsafe body[place...].withUnsafeBytes { bytes in
                unsafe bytes.count < Boundary.lengthByteCount ? Int.max : Boundary.readLength(bytes)
            }
            guard length <= body.count - place - Boundary.lengthByteCount else {
                throw HTTPFlaw(400, "the body ends in the middle of frame \(ends.count + 1)")
            }
            place += Boundary.lengthByteCount + length
            ends.append(place)
        }
        for (index, end) in ends.enumerated() {
            let frame = body[(index == 0 ? 0 : ends[index - 1])..<end]
            if frame.count - Boundary.lengthByteCount <= lineLimit {
                staged += frame
                outcome.accepted += 1
            } else {
                reject("longer than \(lineLimit) bytes; 'max-line' permits more", Array(frame), &outcome, socket)
            }
        }
        count(outcome, bytes: staged.count - before)
        return outcome
    }

    private func count(_ outcome: Outcome, bytes: Int) {
        meter.update { metrics in
            metrics.arrived += outcome.accepted + outcome.rejected
            metrics.arrivedBytes += UInt64(bytes)
            metrics.delivered += outcome.accepted
            metrics[.tooLong] += outcome.rejected
        }
    }

    /// Counts a request that is refused as a whole as one message, and keeps what there is of it.
    func reject(_ bytes: [UInt8], _ cause: TransportMetrics.Rejection, from socket: Int32) {
        meter.update { metrics in
            metrics.arrived += 1
            metrics[cause] += 1
        }
        unsafe bytes.withUnsafeBytes { unsafe meter.keepRejected($0, cause) { Self.origin(socket) } }
    }

    private static func origin(_ socket: Int32) -> String? { cweir_net_address_t(peerOf: socket)?.text }
}
