import Testing
import WeirCore
import WeirQueries
import WeirRecords
import WeirSchemas
import WeirTesting

/// Queries over elements of a type.
@Suite
struct TypedQueries {
    struct Login: Event {
        let timestamp: Timestamp
        let user: String
        let ok: Bool
        let tries: Int?
    }

    /// A language whose texts name plans.
    struct Named: QueryLanguage {
        let name = "named"
        let summary = "plans by name"
        let fileEndings: [String] = []
        let plans: [String: QueryPlan]

        func compile(_ text: String, against schema: QuerySchema) throws(QueryError) -> QueryPlan {
            guard let plan = plans[text] else { throw QueryError("there is no such plan", at: 0..<0, of: text) }
            return plan
        }
    }

    static let schema = EventSchema<Login>(
        "Login",
        .field("user", \.user),
        .field("ok", \.ok),
        .field("tries", \.tries)
    )

    static func language(missing: Bool = false, pipes: [QueryPlan.Pipe] = []) -> Named {
        let fields = [QueryPlan.Field("user"), QueryPlan.Field("ok"), QueryPlan.Field("tries")]
        let keys = [QueryPlan.Key(field: 0)]
        let steps = [
            QueryPlan.Step(condition: .not(.field(1)), keys: keys, runs: 2),
            QueryPlan.Step(condition: .field(1), keys: keys, isMissing: missing),
        ]
        let situation = QueryPlan.Situation.sequence(QueryPlan.Sequence(steps, maxSpan: 10_000_000_000))
        let many = QueryPlan.Step(condition: .binary(.greater, .field(2), .constant(.integer(3))))
        return Named(plans: [
            "attack": QueryPlan(fields: fields, situation: situation, pipes: pipes),
            "many": QueryPlan(fields: fields, situation: .event(many), pipes: pipes),
        ])
    }

    static func login(_ second: Int64, _ user: String, _ ok: Bool, tries: Int? = nil) -> Login {
        Login(timestamp: Timestamp(secondsSinceEpoch: second), user: user, ok: ok, tries: tries)
    }

    @Test
    func aSequenceIsFoundPerKey() throws {
        let query = try Query("attack", in: Self.language(), over: Self.schema)
        let logins = EventChannel<Login>()
        let recorder = Recorder(logins.matches(of: query))
        logins.publish(contentsOf: [
            Self.login(0, "ann", false), Self.login(1, "bob", false), Self.login(2, "ann", false),
            Self.login(3, "bob", true), Self.login(4, "ann", true),
        ])
        logins.finish(.finished)
        #expect(
            recorder.elements.map { $0.events.map { $0?.timestamp } } == [
                [0, 2, 4].map { Timestamp(secondsSinceEpoch: $0) }
            ]
        )
        #expect(recorder.elements.map(\.keys) == [[.text("ann")]])
        let match = try #require(recorder.elements.first)
        #expect("\(match)".hasPrefix("[") && "\(match)".contains("ann"))
    }

    @Test
    func whatMustNotFollowIsCertainBehindTheSpan() throws {
        let query = try Query("attack", in: Self.language(missing: true), over: Self.schema)
        let logins = EventChannel<Login>()
        let recorder = Recorder(logins.matches(of: query))
        logins.publish(contentsOf: [
            Self.login(0, "ann", false), Self.login(0, "bob", false), Self.login(2, "ann", false),
            Self.login(3, "bob", false), Self.login(4, "bob", true),
        ])
        logins.advance(to: Timestamp(secondsSinceEpoch: 10))
        #expect(recorder.elements.isEmpty)
        logins.advance(to: Timestamp(secondsSinceEpoch: 11))
        #expect(recorder.elements.map(\.keys) == [[.text("ann")]])
        #expect(recorder.elements.first?.events.count == 3)
        #expect(recorder.elements.first?.events.last ?? nil == nil)
    }

    @Test
    func aMissingFieldSatisfiesNothing() throws {
        let query = try Query("many", in: Self.language(), over: Self.schema)
        let logins = EventChannel<Login>()
        let matches = logins.matches(of: query)
        let recorder = Recorder(matches)
        logins.publish(contentsOf: [
            Self.login(1, "ann", true, tries: 4), Self.login(2, "ann", true), Self.login(0, "ann", true, tries: 9),
            Self.login(3, "ann", true, tries: 3),
        ])
        #expect(recorder.elements.map { $0.events[0]?.tries } == [4])
        #expect(matches.losses.lateElements == 1)
    }

    @Test
    func aCountIsRefused() {
        #expect(throws: QueryError.self) {
            try Query("many", in: Self.language(pipes: [.count([])]), over: Self.schema)
        }
    }
}
