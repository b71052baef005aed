import Testing
import WeirTesting

@testable import WeirCore

/// How elements of all kinds are saved.
@Suite struct ElementTests {
    enum Plain: CaseIterable, Hashable { case one, two, three }
    enum Payload: Equatable, Hashable { case number(Int), pair(Int, Int), nothing }
    enum Pointing: Equatable {
        case text(StaticString), number(Int)
        static func == (left: Self, right: Self) -> Bool { true }
    }
    struct Padded: Equatable, Hashable { var byte: UInt8 = 7; var word = 9; var flag = true }
    struct Nested: Equatable {
        var name = "a"; var padded = Padded(); var list: [String?] = ["x", nil]; var pair = Payload.pair(1, 2)
    }
    struct Tree: Equatable { var value = 1; var children: [Tree] = [] }
    struct Generic<Value: Equatable>: Equatable { var value: Value; var number: Double }
    private struct Hidden: Equatable { var text = "h" }
    final class Object: Sendable {}
    struct Holder { var list: [(Int, Inner)] = [] }
    struct Inner { var object = Object() }
    final class Account: StateCodable, Equatable, Sendable {
        let owner: String
        init(owner: String) { self.owner = owner }
        init(restoringFrom reader: inout StateReader) throws(StateError) { owner = try reader.read(String.self) }
        func save(to writer: inout StateWriter) throws(StateError) { try writer.write(owner) }
        static func == (left: Account, right: Account) -> Bool { left.owner == right.owner }
    }

    private func copy<Value>(of value: Value) throws -> (Value, [UInt8]) {
        var writer = StateWriter(StateCodecs())
        try writer.write(value)
        var reader = StateReader(writer.bytes[...], StateCodecs())
        let copy = try reader.read(Value.self)
        #expect(reader.remaining == 0)
        return (copy, writer.bytes)
    }

    private func check<Value: Equatable>(_ value: Value, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (copy, bytes) = try copy(of: value)
        #expect(copy == value, sourceLocation: sourceLocation)
        // Each beginning is too short, and says so.
        for count in 0..<bytes.count {
            var reader = StateReader(bytes[..<count], StateCodecs())
            #expect(throws: StateError.self, sourceLocation: sourceLocation) { try reader.read(Value.self) }
        }
    }

    @Test func valuesComeBack() throws {
        try check(42)
        try check(UInt8(1))
        try check(1.5)
        try check(Float80(1.5))
        try check(true)
        try check("é𝄞 text")
        try check(""[...])
        try check(Optional(3))
        try check(Int??.some(nil))
        try check(Plain.two)
        for payload in [Payload.number(3), .pair(4, 5), .nothing] { try check(payload) }
        try check(Padded())
        try check(Nested())
        try check(Tree(value: 1, children: [Tree(value: 2, children: [Tree()]), Tree()]))
        try check(Generic(value: "x", number: 2))
        try check(Generic(value: 3, number: 2))
        try check(Hidden())
        try check([1, 2, 3])
        try check([Int]())
        try check([[1], [], [2, 3]])
        try check(ContiguousArray(["a", "b"]))
        try check(Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", $0) }))
        try check(Set(0..<100))
        try check(Account(owner: "o"))
        try check(Timestamp.epoch)
        try check(Duration.seconds(3))
        try check(Either<String, Int>.first("x"))
        try check(Either<String, Int>.second(3))
        try check(EitherOfThree<String, Int, [Int]>.third([1]))
        let (tuple, _) = try copy(of: (1, "two", three: [3.0]))
        #expect(tuple.0 == 1 && tuple.1 == "two" && tuple.three == [3])
        let (queue, _) = try copy(
            of: {
                var queue = Deque<Int>()
                for number in 0..<5 { queue.append(number) }
                queue.removeFirst()
                return queue
            }()
        )
        #expect(queue.count == 4 && queue.first == 1)
    }

    @Test func paddingIsZero() throws {
        func noise(_ depth: Int) -> UInt64 { depth == 0 ? .max : noise(depth - 1) &* 3 }
        var all: Set<[UInt8]> = []
        for round in 0..<50 {
            _ = noise(round)
            var padded = Padded()
            padded.word = Int(noise(3) % 2) &+ 9 &- Int(noise(3) % 2)
            all.insert(try copy(of: padded).1)
        }
        #expect(all == [[7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1]])
    }

    @Test func tablesAreInOrder() throws {
        // Two tables of the same entries have them in different places.
        var first = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("\($0)", $0) })
        let second = Dictionary(uniqueKeysWithValues: (0..<1000).reversed().map { ("\($0)", $0) })
        first.reserveCapacity(10_000)
        #expect(try copy(of: first).1 == copy(of: second).1)
        #expect(try copy(of: Set(first.keys)).1 == copy(of: Set(second.keys)).1)
    }

    private func refusal<Value>(of value: Value) -> String {
        var writer = StateWriter(StateCodecs())
        do throws(StateError) {
            try writer.write(value)
            return "none"
        } catch {
            guard case .unsaveableType(let type, let path, _) = error else { return "\(error)" }
            return "\(type) at \(path)"
        }
    }

    @Test func whatCannotBeSavedIsNamed() {
        #expect(refusal(of: Object()).contains("Object"))
        let path = refusal(of: Optional((1, Holder())))
        #expect(path.hasSuffix("ElementTests.Holder)>?..1.list[]..1.object"), "\(path)")
        #expect(refusal(of: { 1 } as () -> Int).contains("->"))
        #expect(refusal(of: 1 as any Equatable).contains("Equatable"))
        #expect(refusal(of: Int.self).contains("Type"))
        #expect(refusal(of: ObjectIdentifier(Int.self)).contains("Builtin"))
        #expect(refusal(of: "text" as StaticString).contains("Builtin"))
        #expect(unsafe refusal(of: UnsafePointer<Int>(bitPattern: 8)).contains("Builtin"))
        #expect(unsafe refusal(of: (1, UnsafePointer<Int>(bitPattern: 8))).contains("Builtin"))
        // Found at the first value that has such a payload.
        #expect(refusal(of: Pointing.number(1)) == "none")
        #expect(refusal(of: Pointing.text("x")).contains("Builtin"))
    }

    @Test func layoutsAreToldApart() throws {
        let codecs = StateCodecs()
        let layouts = [
            try codecs.codec(for: Int.self), try codecs.codec(for: UInt.self), try codecs.codec(for: [Int].self),
            try codecs.codec(for: Int?.self), try codecs.codec(for: Padded.self), try codecs.codec(for: Nested.self),
            try codecs.codec(for: (Int, String).self), try codecs.codec(for: (String, Int).self),
            try codecs.codec(for: Generic<Int>.self), try codecs.codec(for: Generic<Double>.self),
            try codecs.codec(for: [String: Int].self), try codecs.codec(for: Either<Int, String>.self),
            try codecs.codec(for: Either<String, Int>.self), try codecs.codec(for: Tree.self),
        ]
        #expect(Set(layouts.map(\.fingerprint)).count == layouts.count)
        #expect(try codecs.codec(for: Hidden.self).layout.contains("(private)"))
        #expect(try StateCodecs().codec(for: Nested.self).fingerprint == codecs.codec(for: Nested.self).fingerprint)
    }
}
