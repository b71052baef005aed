import Testing
import WeirRecords

@testable import WeirNATS

@Suite struct AddressTests {
    private static func address(_ text: String) throws -> NATSAddress {
        try NATSAddress(TransportAddress(ofSource: text, NATSTransport()), allowsWildcards: true)
    }

    @Test func serversUsersAndSubjectsAreTakenApart() throws {
        let plain = try Self.address("//broker/alarms.>")
        #expect(plain.hosts == ["//broker:4222"] && plain.credentials == nil && plain.subject == "alarms.>")
        let list = try Self.address("//me:p%40ss%2F@one:1,[::1],[::1]:7/a?stream=s")
        #expect(list.hosts == ["//one:1", "//[::1]:4222", "//[::1]:7"])
        #expect(list.credentials == .user("me", password: "p@ss/"))
        #expect(try Self.address("//t%3Aken@h/a").credentials == .token("t:ken"))
        #expect(try Self.address("//me:@h/a").credentials == .user("me", password: ""))
    }

    @Test(arguments: [
        "//me:secret@h", "//me:secret@h/", "//me:secret@h/a b", "//me:secret@h/a?strem=x", "//me:secret@h/a?batch=0",
        "//me:sec/ret@h/a", "//me:sec?ret@h/a", "//me:%zz-secret@h/a", "//@secret@h/a..b", "//:secret@h/a",
        "//me:secret@h:99999/a", "//me:secret@h/a?durable=x", "//me:secret@h/a?stream=x.y", "//me:secret@127.0.0.1:0/a",
    ])
    func whatIsWrongIsSaidWithoutThePassword(text: String) throws {
        let error = #expect(throws: TransportError.self) { _ = try NATSTransport().openSource(text) }
        let words = "\(try #require(error))"
        #expect(!words.contains("secret") && !words.contains("sec") && !words.contains("ret@"), "\(words)")
        guard case .badAddress = error else {
            Issue.record("\(words)")
            return
        }
    }

    @Test func sinksPublishToOneSubject() {
        for text in ["//h/a.*", "//h/>", "//h/a?durable=x"] {
            #expect(throws: TransportError.self) { _ = try NATSTransport().openSink(text) }
        }
    }
}
