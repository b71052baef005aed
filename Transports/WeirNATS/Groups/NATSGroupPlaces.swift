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

    /// The stream of outputs and commits, and the subject of outputs without the number of a partition.
    let stream: String
    let outputSubject: String
    let group: String

    func input(_ partition: Int) -> String { "\(inputSubject).\(partition)" }
    func output(_ partition: Int) -> String { "\(outputSubject).\(partition)" }

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
    var position: UInt64

    /// Which stream the position is in.
    var input: String

    /// The number of the first piece; `nil` where they stand right before the head.
    var firstPiece: UInt64?
    var pieceCount: Int
    var byteCount: Int

    var encoded: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("position", position)
            json.member("input", input)
            if let firstPiece { json.member("first", firstPiece) }
            json.member("pieces", pieceCount)
            json.member("bytes", byteCount)
        }
        return json.bytes
    }
}

extension NATSCommitHead {
    /// Reads a head.
    ///
    /// - Returns: `nil` for what is none.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONNode.read(bytes, allowsRepeatedNames: true), let position = json["position"]?.unsigned,
            let input = json["input"]?.text, let pieceCount = json["pieces"]?.integer, pieceCount > 0,
            let byteCount = json["bytes"]?.integer, byteCount >= 0
        else { return nil }
        self.init(
            position: position,
            input: input,
            firstPiece: json["first"]?.unsigned,
            pieceCount: pieceCount,
            byteCount: byteCount
        )
    }
}
