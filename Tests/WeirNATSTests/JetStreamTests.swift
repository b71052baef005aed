import TestServers
import Testing

@testable import WeirNATS

/// Streams, batches and values.
@Suite(.serialized, .enabled(if: NATSServer.program != nil, "\(NATSServer.isMissing)")) struct JetStreamTests {
    private let server: NATSServer
    private let client: NATSClient

    init() throws {
        server = try NATSServer()
        client = try server.client()
    }

    /// The error of what nobody answers, with longer and longer timeouts: a short one may be over too early.
    private func failure(_ ask: (NATSClient) throws -> Void) throws -> NATSError? {
        var error: NATSError?
        for milliseconds in [200, 2000, 20_000, 200_000] where error?.kind != .noResponders {
            let impatient = try server.client(timeout: .milliseconds(milliseconds))
            error = #expect(throws: NATSError.self) { try ask(impatient) }
            impatient.close()
        }
        return error
    }

    @Test func streamsKeepMessagesAndRefuseWhatIsNotExpected() throws {
        let missing = #expect(throws: NATSError.self) { _ = try client.stream("S") }
        #expect(missing?.isMissing == true)
        let nobody = try failure { _ = try $0.store("in.a", [1]) }
        #expect(nobody?.reason.contains("nats stream add") == true)
        try client.makeStream()
        try client.makeStream()
        #expect(try client.store("in.a", [1], expecting: .init(id: "x", stream: "S")).sequence == 1)
        let again = try client.store("in.a", [1], expecting: .init(id: "x", stream: "S"))
        #expect(again.isDuplicate && again.sequence == 1)
        #expect(try client.store("in.a", [2], expecting: .init(lastSubjectSequence: 1)).sequence == 2)
        let stale = #expect(throws: NATSError.self) {
            try client.store("in.a", [3], expecting: .init(lastSubjectSequence: 1))
        }
        #expect(stale?.isWrongSequence == true)
        let other = #expect(throws: NATSError.self) { try client.store("in.a", [3], expecting: .init(stream: "T")) }
        #expect(other.map { if case .refused = $0.kind { true } else { false } } == true)
        let stream = try client.stream("S")
        #expect(stream.first == 1 && stream.last == 2 && stream.subjects == ["in.>"] && !stream.creation.isEmpty)
        let taken = #expect(throws: NATSError.self) { try client.makeStream("T", ["in.a"]) }
        #expect(taken?.reason.contains("overlap") == true)
    }

    @Test func batchesAreKeptAllTogetherOrNotAtAll() throws {
        try client.makeStream(batches: true)
        func batch(_ count: Int, last: UInt64) -> [JetStreamMessage] {
            (0..<count).map { number in
                JetStreamMessage(
                    "in.\(number)",
                    [UInt8(number)],
                    expecting: .init(lastSubjectSequence: number == count - 1 ? last : nil)
                )
            }
        }
        let receipt = try client.store(batch: batch(5, last: 0), id: "one")
        #expect(receipt.sequence == 5 && receipt.count == 5 && receipt.batch == "one")
        let stale = #expect(throws: NATSError.self) { _ = try client.store(batch: batch(5, last: 0), id: "two") }
        #expect(stale?.isWrongSequence == true, "\(stale?.reason ?? "")")
        #expect(try client.stream("S").last == 5)
        #expect(try client.store(batch: batch(1, last: 1), id: "three").sequence == 6)
        try client.makeStream("T", ["plain"])
        #expect(throws: NATSError.self) {
            _ = try client.store(batch: [JetStreamMessage("plain", []), JetStreamMessage("plain", [])], id: "four")
        }
        #expect(try client.stream("T").last == 0)
    }

    @Test func valuesChangeOnlyWhereNobodyWasFaster() throws {
        let bucket = try KeyValueBucket("leases", client)
        let missing = try failure { _ = try KeyValueBucket("leases", $0).get("worker.1") }
        #expect(missing?.reason.contains("nats kv add leases") == true)
        try bucket.create()
        try bucket.create()
        #expect(try bucket.get("worker.1") == nil)
        let first = try bucket.create("worker.1", [1])
        #expect(throws: NATSError.self) { try bucket.create("worker.1", [2]) }
        let second = try bucket.update("worker.1", [2], revision: first)
        let stale = #expect(throws: NATSError.self) { try bucket.update("worker.1", [3], revision: first) }
        #expect(stale?.isWrongSequence == true)
        #expect(try bucket.get("worker.1") == .init(value: [2], revision: second))
        try bucket.delete("worker.1")
        #expect(try bucket.get("worker.1") == nil)
        let third = try bucket.create("worker.1", [4])
        #expect(try bucket.get("worker.1") == .init(value: [4], revision: third))
        #expect(try bucket.put("x", []) > third)
        #expect(try bucket.get("x")?.value == [])
        #expect(throws: NATSError.self) { _ = try bucket.get("no key") }
    }
}

extension NATSClient {
    func makeStream(_ name: String = "S", _ subjects: [String] = ["in.>"], batches: Bool = false) throws {
        var settings = JetStreamSettings(name, subjects: subjects)
        settings.takesBatches = batches
        try createStream(settings)
    }
}
