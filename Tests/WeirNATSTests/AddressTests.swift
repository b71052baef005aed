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
        "//me:secret@h/a*", "//me:secret@h/a.b>", "//me:secret@h/*a.b",
        "//me:secret@127.0.0.1/a?timeout=0", "//me:secret@127.0.0.1/a?retry=0", "//me:secret@127.0.0.1/a?retry=25h",
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
        for text in ["//h/a.*", "//h/>", "//h/a*", "//h/a?durable=x"] {
            #expect(throws: TransportError.self) { _ = try NATSTransport().openSink(text) }
        }
    }

    @Test(arguments: [
        ("a*", "has 'a*', and a wildcard stands alone between dots"), ("a.>b", "has '>b', and a wildcard"),
        ("a.>.b", "that is not its end"), ("a..b", "nothing before or behind a dot"),
    ])
    func whatIsWrongWithASubjectIsSaid(subject: String, reason: String) throws {
        let error = #expect(throws: TransportError.self) { _ = try Self.address("//h/\(subject)") }
        #expect("\(try #require(error))".contains(reason), "\(error as Any)")
    }

    @Test func patternsOverlap() {
        for (first, second, wanted) in [
            ("a", "a", true), ("a", "b", false), ("a.*", "*.b", true), ("a.>", "a", false), (">", "a", true),
            ("a.>", "a.*.c", true), ("a.*", "a.b.c", false), ("a.*.c", "a.b.>", true), ("a.b", "a.b.c", false),
        ] {
            #expect(NATSSubject.overlap(first, second) == wanted, "\(first) \(second)")
            #expect(NATSSubject.overlap(second, first) == wanted, "\(second) \(first)")
        }
    }

    @Test(arguments: ["timeout", "retry"], ["0", "0s", "100us", "2d"])
    func aDurationThatLeavesNoTimeIsRefused(name: String, value: String) throws {
        for open in [
            { _ = try NATSTransport().openSource("//127.0.0.1/a?\(name)=\(value)") },
            { _ = try NATSTransport().openSink("//127.0.0.1/a?\(name)=\(value)") },
        ] as [() throws -> Void] {
            let error = #expect(throws: TransportError.self) { try open() }
            let words = "\(try #require(error))"
            #expect(
                words.contains(name) && (words.contains("between 1ms and 24h") || words.contains("no duration")),
                "\(words)"
            )
        }
    }

    @Test func aHostThatIsNotKnownIsLeftOut() throws {
        let meter = TransportMeter()
        let servers = try Self.address("//nowhere.invalid,127.0.0.1:1,[::1]:2/a").servers(meter)
        #expect(servers.count == 2)
        let notes = meter.takeNotices()
        #expect(notes.count == 1 && notes[0].contains("without a server: 'nowhere.invalid' is not known"), "\(notes)")
        let error = #expect(throws: TransportError.self) {
            _ = try Self.address("//one.invalid,two.invalid/a").servers(meter)
        }
        #expect("\(try #require(error))".contains("'one.invalid' is not known") && meter.takeNotices().isEmpty)
    }

    @Test func serversOfAClusterAreThoseWithNumbers() throws {
        let others = (0..<100).map { "\"10.0.0.\($0):4222\"" }.joined(separator: ",")
        let json =
            #"{"connect_urls":["10.0.0.1:4222","[fd00::1]:7","host:1","1.2.3:1","1.2.3.4.5:1","fd00::1:7","127.0.0.1:0","#
            + #""127.0.0.1:","127.0.0.1:99999","[127.0.0.1]:1","",7,\#(others)]}"#
        let info = try NATSServerInfo(Array(json.utf8)[...])
        #expect(info.others.prefix(3) == ["10.0.0.1:4222", "[fd00::1]:7", "10.0.0.0:4222"])
        #expect(info.others.count == 64 && Set(info.others).count == 64)
    }
}
