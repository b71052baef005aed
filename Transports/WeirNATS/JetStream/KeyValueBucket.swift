internal import WeirCore
internal import WeirRecords

/// Values by key, each with a revision, which change only where nobody else was faster.
///
/// ```text
/// let bucket = try KeyValueBucket("leases", client)
/// let revision = try bucket.create("worker.1", Array("here".utf8))
/// try bucket.update("worker.1", Array("still here".utf8), revision: revision)
/// ```
///
/// Thread safety: that of its client.
package struct KeyValueBucket {
    /// A value.
    package struct Entry: Sendable, Hashable {
        package let value: [UInt8]
        package let revision: UInt64
    }

    package let name: String
    private let client: NATSClient

    /// Refers to a bucket.
    ///
    /// - Throws: ``NATSError`` where no bucket has such a name.
    package init(_ name: String, _ client: NATSClient) throws(NATSError) {
        try JetStreamName.check(name, "bucket")
        self.name = name
        self.client = client
    }

    private var stream: String { "KV_\(name)" }

    /// Makes the bucket; one that is there already and is the same is left as it is.
    ///
    /// - Parameters:
    ///   - replicas: How many servers keep it, from 1 to 5.
    ///   - isInMemory: Whether it is kept in memory, and gone with its servers.
    /// - Throws: ``NATSError``.
    package func create(replicas: Int = 1, isInMemory: Bool = false) throws(NATSError) {
        var settings = JetStreamSettings(stream, subjects: ["$KV.\(name).>"])
        settings.replicas = replicas
        settings.isInMemory = isInMemory
        settings.history = 1
        settings.isBucket = true
        try client.createStream(settings)
    }

    /// Reads values, from any server that has them: some may be such as were just replaced.
    ///
    /// - Parameter keys: Their keys; one that ends with `*` stands for all that have one more part there.
    /// - Returns: The values that there are, by their keys.
    /// - Throws: ``NATSError``.
    package func get(like keys: [String]) throws(NATSError) -> [String: Entry] {
        let prefix = "$KV.\(name)."
        var json = JSONWriter()
        json.object { json in json.member("multi_last", keys) { json, key in json.value(prefix + key) } }
        let messages: [NATSMessage]
        do throws(NATSError) {
            messages = try client.requestAll("$JS.API.DIRECT.GET.\(stream)", json.bytes[...])
        } catch {
            guard error.kind == .noResponders else { throw error }
            throw missingBucket
        }
        try JetStreamAnswer.checkEnd(messages, "the values of '\(name)'")
        var entries: [String: Entry] = [:]
        for message in messages.dropLast() {
            guard let headers = message.headers, let subject = headers["Nats-Subject"], subject.hasPrefix(prefix),
                let revision = headers["Nats-Sequence"].flatMap({ UInt64($0) })
            else { throw NATSError(.garbage, "the answer to a read of '\(name)' is not one of a bucket") }
            guard headers["KV-Operation"] == nil else { continue }
            entries[String(subject.dropFirst(prefix.count))] = Entry(value: message.payload, revision: revision)
        }
        return entries
    }

    private var missingBucket: NATSError {
        NATSError(.noResponders, "there is no bucket '\(name)'; make one: nats kv add \(name)")
    }

    private func subject(_ key: String) throws(NATSError) -> String {
        let isKey = key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_=/.".utf8.contains(byte)
            }
        }
        guard isKey else {
            throw NATSError(
                .unsendable,
                "'\(Excerpt.of(key.utf8, limit: 80))' is no key: it has letters, digits, and - _ = / . alone"
            )
        }
        let subject = "$KV.\(name).\(key)"
        try NATSSubject.check(subject, allowsWildcards: false)
        return subject
    }

    /// Reads a value, from any server that has it: it may be one that was just replaced.
    ///
    /// - Returns: The value; `nil` where there is none.
    /// - Throws: ``NATSError``.
    package func get(_ key: String) throws(NATSError) -> Entry? {
        let found = try read(key)
        return found?.isDeleted ?? true ? nil : found?.entry
    }

    private func read(_ key: String) throws(NATSError) -> (entry: Entry, isDeleted: Bool)? {
        let message: NATSMessage
        do throws(NATSError) {
            message = try client.request("$JS.API.DIRECT.GET.\(stream).\(subject(key))", [])
        } catch {
            guard error.kind == .noResponders else { throw error }
            throw missingBucket
        }
        if message.headers?.status == 404 { return nil }
        guard message.headers?.status == nil, let revision = message.headers?["Nats-Sequence"].flatMap({ UInt64($0) })
        else {
            throw NATSError(.garbage, "the answer to a read of '\(name)' is not one of a bucket")
        }
        let operation = message.headers?["KV-Operation"]
        return (Entry(value: message.payload, revision: revision), operation == "DEL" || operation == "PURGE")
    }

    /// Sets a value, whatever was there; it may be set twice where an answer gets lost.
    ///
    /// - Returns: Its revision.
    /// - Throws: ``NATSError``.
    @discardableResult
    package func put(_ key: String, _ value: [UInt8]) throws(NATSError) -> UInt64 {
        try client.store(subject(key), value, repeats: true).sequence
    }

    /// Sets a value that was not there, or was deleted.
    ///
    /// - Returns: Its revision.
    /// - Throws: ``NATSError``; ``NATSError/isWrongSequence`` tells that there is one.
    @discardableResult
    package func create(_ key: String, _ value: [UInt8]) throws(NATSError) -> UInt64 {
        do throws(NATSError) { return try update(key, value, revision: 0) } catch {
            guard error.isWrongSequence, let found = try read(key), found.isDeleted else { throw error }
            return try update(key, value, revision: found.entry.revision)
        }
    }

    /// Replaces a value that nobody else has replaced.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The new value.
    ///   - revision: That of the value that is replaced; 0 where there is to be none.
    /// - Returns: Its revision.
    /// - Throws: ``NATSError``; ``NATSError/isWrongSequence`` tells that it has another revision by now.
    @discardableResult
    package func update(_ key: String, _ value: [UInt8], revision: UInt64) throws(NATSError) -> UInt64 {
        try client.store(subject(key), value, expecting: .init(lastSubjectSequence: revision)).sequence
    }

    /// Removes a value, and leaves no mark of it.
    ///
    /// - Throws: ``NATSError``.
    package func purge(_ key: String) throws(NATSError) {
        let subject = try subject(key)
        _ = try client.ask("STREAM.PURGE.\(stream)", "to remove '\(key)'") { json in json.member("filter", subject) }
    }

    /// Deletes a value; a mark with a revision takes its place.
    ///
    /// - Returns: The revision of the mark.
    /// - Throws: ``NATSError``.
    @discardableResult
    package func delete(_ key: String) throws(NATSError) -> UInt64 {
        try client.store(subject(key), [], headers: [.init("KV-Operation", "DEL")]).sequence
    }
}
