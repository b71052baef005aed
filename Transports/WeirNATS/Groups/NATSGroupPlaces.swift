internal import WeirCore
internal import WeirFormats
internal import WeirGroups
internal import WeirRecords

/// Where the data of a group is: subjects and streams.
struct NATSGroupPlaces: Sendable {
    /// The stream of the input, and its subject without the number of a partition.
    let inputStream: String
    let inputSubject: String

    /// Which stream that is: another one of the same name was made at another time.
    let inputCreation: String

    /// Whether its last messages can be asked for.
    let inputPermitsDirect: Bool

    /// The stream of outputs and commits, and the subject of outputs without the number of a partition.
    let stream: String
    let outputSubject: String
    let group: String

    /// Whether the whole input is one partition, whose subjects end with any number.
    let isWhole: Bool

    /// Where a group before this one marks how far time is, without the number of a partition; `nil` where there is none.
    let markSubject: String?

    /// How many partitions that group has.
    let sourceCount: Int

    func inputs(_ partition: Int) -> [String] {
        guard isWhole else { return ["\(inputSubject).\(partition)"] }
        return ["\(inputSubject).*"] + (markSubject.map { ["\($0).*"] } ?? [])
    }

    func output(_ partition: Int) -> String { "\(outputSubject).\(partition)" }

    /// A subject without the `*` that stands for its last part.
    static func base(of subject: String) -> String { subject.hasSuffix(".*") ? String(subject.dropLast(2)) : subject }

    /// Where the group whose outputs a stream has marks how far time is; `nil` where it is not of one group.
    static func markSubject(among subjects: [String]) -> String? {
        let found = subjects.filter { $0.hasPrefix("weir.") && $0.hasSuffix(".checkpoint.*") }
        return found.count == 1 ? base(of: found[0]) : nil
    }

    /// Where the commits of a partition are, of which the last one is kept.
    func head(_ partition: Int) -> String { "weir.\(group).checkpoint.\(partition)" }

    /// Where the pieces of what is known of a partition are.
    func state(_ partition: Int) -> String { "weir.\(group).state.\(partition)" }

    static func streamSubjects(of group: String, _ outputSubject: String) -> [String] {
        ["\(outputSubject).*", "weir.\(group).checkpoint.*", "weir.\(group).state.*"]
    }

    /// The bucket that says who is in the group.
    static func bucket(of group: String) -> String { "weir-\(group)" }

    /// Checks the name of a group.
    ///
    /// - Throws: ``GroupError`` where it is none.
    static func check(_ group: String) throws(GroupError) {
        let isName = group.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, (1...64).contains(group.utf8.count) else {
            throw GroupError(
                .refused,
                "'\(Excerpt.of(group.utf8, limit: 80))' is no name of a group: it has 1 to 64 letters, digits, '-' and '_'"
            )
        }
    }
}

/// The head of a commit: what it says of its partition, beside the pieces of what is known.
struct NATSCommitHead: Equatable {
    /// The pieces of changes, which have come with one commit.
    struct Change: Equatable {
        /// The number of the first piece; 0 where they stand right before the head.
        var first: UInt64
        let pieceCount: Int
        let byteCount: Int
    }

    var position: UInt64

    /// Which stream the position is in.
    var input: String

    /// The number of the first piece; `nil` where they stand right before the head.
    var firstPiece: UInt64?
    var pieceCount: Int
    var byteCount: Int

    /// The changes that lead from the state in the first pieces to the last one.
    var changes: [Change] = []
    var mark: TimeMark?

    var encoded: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("position", position)
            json.member("input", input)
            if let firstPiece { json.member("first", firstPiece) }
            json.member("pieces", pieceCount)
            json.member("bytes", byteCount)
            if !changes.isEmpty {
                json.member("changes", changes) { json, change in
                    json.array([change.first, UInt64(change.pieceCount), UInt64(change.byteCount)]) { $0.value($1) }
                }
            }
            if let mark {
                json.member("time", mark.time)
                if mark.isIdle { json.member("idle", true) }
            }
        }
        return json.bytes
    }
}

extension NATSCommitHead {
    /// The numbers of the pieces, where the head has this one; `nil` where there can be none of these numbers.
    func pieces(before revision: UInt64) -> [Range<UInt64>]? {
        guard revision > UInt64(pieceCount) else { return nil }
        let wholeCount = changes.reduce(pieceCount) { $0 - $1.pieceCount }
        var pieces: [Range<UInt64>] = []
        for (first, count) in [(firstPiece ?? 0, wholeCount)] + changes.map({ ($0.first, $0.pieceCount) }) {
            let start = first > 0 ? first : revision - UInt64(count)
            guard start >= pieces.last?.upperBound ?? 1, start + UInt64(count) <= revision else { return nil }
            pieces.append(start..<start + UInt64(count))
        }
        return pieces
    }

    /// Numbers of messages are less.
    private static let limit: UInt64 = 1 << 62

    /// A batch has no more messages: what is written whole has fewer pieces, and so has what is written as changes.
    static let pieceLimit = 1000

    /// No state has as many bytes.
    private static let byteLimit = 1 << 34

    /// Reads a head.
    ///
    /// - Returns: `nil` for what is none.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONNode.read(bytes, allowsRepeatedNames: true),
            let position = json["position"]?.unsigned, position < Self.limit,
            let input = json["input"]?.text,
            let pieceCount = json["pieces"]?.integer, (1...Self.pieceLimit).contains(pieceCount),
            let byteCount = json["bytes"]?.integer, (0..<Self.byteLimit).contains(byteCount),
            json["first"]?.unsigned ?? 0 < Self.limit
        else { return nil }
        var changes: [Change] = []
        // What the state before them has.
        var (pieces, bytes) = (pieceCount, byteCount)
        for change in json["changes"]?.elements ?? [] {
            let numbers = change.elements.compactMap(\.integer)
            guard numbers.count == 3, (0..<Int(Self.limit)).contains(numbers[0]), (1..<pieces).contains(numbers[1]),
                (0...bytes).contains(numbers[2])
            else { return nil }
            (pieces, bytes) = (pieces - numbers[1], bytes - numbers[2])
            changes.append(Change(first: UInt64(numbers[0]), pieceCount: numbers[1], byteCount: numbers[2]))
        }
        guard changes.isEmpty == (json["changes"] == nil) else { return nil }
        self.init(
            position: position,
            input: input,
            firstPiece: json["first"]?.unsigned,
            pieceCount: pieceCount,
            byteCount: byteCount,
            changes: changes,
            mark: json["time"]?.integer.map { TimeMark(time: Int64($0), isIdle: json["idle"]?.flag ?? false) }
        )
    }
}
