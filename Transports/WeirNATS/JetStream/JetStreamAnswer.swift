internal import WeirCore
internal import WeirFormats

/// What JetStream answers, as JSON.
struct JetStreamAnswer {
    let json: JSONNode

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - message: The answer.
    ///   - what: What was asked for, for errors.
    /// - Throws: ``NATSError`` for one that says what is wrong, or that is none of JetStream.
    init(_ message: NATSMessage, to what: String) throws(NATSError) {
        guard let json = try? JSONNode.read(message.payload, allowsRepeatedNames: true), json.isObject else {
            throw NATSError(
                .garbage,
                "the answer to \(what), '\(Excerpt.of(message.payload, limit: 40))', is not one of JetStream"
            )
        }
        if let error = json["error"], error.isObject {
            let number = error["err_code"]?.integer ?? 0
            throw NATSError(
                .refused(status: error["code"]?.integer ?? 500, number: number),
                "JetStream refuses \(what): \(Excerpt.line(error["description"]?.text ?? "it does not say why"))"
                    + (Self.full.contains(number) ? Self.fullRemedy : "")
            )
        }
        self.json = json
    }

    /// What JetStream says where servers or accounts have no room left: of messages, of storage, of memory.
    private static let full: Set<Int> = [10_023, 10_028, 10_047]
    private static let fullRemedy =
        "; the servers have no room left: purge or limit streams, or raise 'max_file_store' of the servers"

    /// Checks that several messages were all that was asked for.
    ///
    /// - Throws: ``NATSError`` where the last one says something else.
    static func checkEnd(_ messages: [NATSMessage], _ what: String) throws(NATSError) {
        switch messages.last?.headers?.status {
        case 204, 404: return
        case 413:
            throw NATSError(
                .refused(status: 413, number: 0),
                "\(what) are more than the 1,024 that a server tells at once"
            )
        case 408, 400: throw NATSError(.tooOld, "reading several messages at once takes nats-server 2.11 or newer")
        case let status:
            throw NATSError(.disconnected, "the server does not tell \(what): it answers \(status ?? 0)")
        }
    }

    /// A number that has to be there.
    func number(_ names: String..., of what: String) throws(NATSError) -> UInt64 {
        var node: JSONNode? = json
        for name in names { node = node?[name] }
        guard let number = node?.unsigned else {
            throw NATSError(.garbage, "the answer to \(what) lacks '\(names.joined(separator: "."))'")
        }
        return number
    }
}

/// The names of streams, consumers, buckets and keys.
enum JetStreamName {
    /// Checks a name of a stream, a consumer or a bucket.
    ///
    /// - Throws: ``NATSError`` where JetStream would not take it.
    static func check(_ name: String, _ what: String) throws(NATSError) {
        let isName = name.utf8.allSatisfy { byte in
            byte > 0x20 && byte != 0x7F && !".*>/\\".utf8.contains(byte)
        }
        guard isName, (1...255).contains(name.utf8.count) else {
            throw NATSError(
                .unsendable,
                "'\(Excerpt.of(name.utf8, limit: 80))' is no name of a \(what): it has no blanks, and none of . * > / \\"
            )
        }
    }
}
