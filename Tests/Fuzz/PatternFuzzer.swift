import Foundation
import WeirCore
import WeirTesting

@testable import WeirExpressions
@testable import WeirPatternDefinitions
@testable import WeirPatterns
@testable import WeirSchemas

private let schema: EventSchema<DynamicRecord> = {
    let fields: [DynamicField] = [
        .field("b", .bool), .field("i", .integer), .field("u", .unsigned), .field("r", .real), .field("s", .single),
        .field("t", .text), .optionalField("oi", .integer), .optionalField("or", .real), .optionalField("ot", .text),
    ]
    do { return try EventSchema(records: "Record", fields) } catch { fatalError("\(error)") }
}()

extension Input {
    /// An element with values of all kinds.
    fileprivate mutating func record() -> DynamicRecord {
        let integer = anyNumber()
        let real = [0, 1, -1.5, .infinity, .nan, 1e300, -0.0, Double(integer)][Int(byte() & 7)]
        let text = ["", "a", "b", "aé", "e\u{301}"][Int(byte() % 5)]
        let flags = byte()
        do throws(SchemaError) {
            return try schema.record([
                .bool(flags & 1 == 1), .integer(integer), .unsigned(UInt64(bitPattern: integer)), .real(real),
                .real(Double(Float(real))), .text(text), flags & 2 == 0 ? .missing : .integer(integer),
                flags & 4 == 0 ? .missing : .real(real), flags & 8 == 0 ? .missing : .text(text),
            ])
        } catch {
            fatalError("\(error)")
        }
    }
}

extension Input {
    /// A definition that is mostly in order.
    fileprivate mutating func definition() -> PatternDefinition {
        var names = 0
        let stages = stages(depth: 0, &names)
        let (bounds, skip, selection) = (byte(), byte(), byte())
        let strategies: [SkipDefinition.Strategy] = [.noSkip, .skipToNext, .skipPastLast, .skipToFirst, .skipToLast]
        return PatternDefinition(
            stages: stages,
            withinNanoseconds: bounds & 1 == 0 ? nil : Int64(bounds >> 2),
            neighboursNanoseconds: bounds & 2 == 0 ? nil : Int64(bounds >> 4),
            afterMatch: SkipDefinition(strategies[Int(skip % 5)], stage: "s\(skip >> 4)", failsOnMiss: skip & 8 == 8),
            selection: [.all, .first, .last, .longest][Int(selection & 3)],
            groupedBy: selection & 4 == 0 ? nil : .field("b")
        )
    }

    private mutating func stages(depth: Int, _ names: inout Int) -> [StageDefinition] {
        (0..<1 + Int(byte() % 3)).map { index in
            let (kind, join, shape, times) = (byte(), byte(), byte(), byte())
            names += 1
            let name = "s\(names)"
            let joins: [Contiguity] = [.next, .followedBy, .followedByAny, .notNext, .notFollowedBy]
            let conditions: [ExpressionTree?] = [
                nil, .field("b"), .operation(.not, [.field("b")]), .operation(.less, [.field("i"), .literal(0)]),
                .operation(.less, [.field("i"), .captured(CapturedValue(.field("i"), of: "s1"))]),
                .operation(.less, [.summary(CapturedSummary(.sum, of: .field("i"), over: name)), .literal(3)]),
            ]
            var stage = StageDefinition(
                name,
                index == 0 ? .first : joins[Int(join % 5)],
                where: conditions[Int(shape % 6)],
                until: shape & 0x80 == 0 ? nil : conditions[Int(join >> 4) % 6],
                gapNanoseconds: join & 8 == 0 ? nil : Int64(join >> 4)
            )
            if times & 1 == 1 {
                stage.quantifier = QuantifierDefinition(
                    least: Int(times >> 1 & 3),
                    most: times & 8 == 0 ? nil : Int(times >> 4 & 3),
                    isOpen: times & 0x40 != 0,
                    isOptional: times & 0x80 != 0,
                    isGreedy: kind & 0x40 != 0,
                    inner: [.relaxed, .combinations, .consecutive][Int(kind >> 4) % 3]
                )
            }
            guard depth < 2 else { return stage }
            switch kind & 7 {
            case 0: stage.group = stages(depth: depth + 1, &names)
            case 1: stage.either = [stages(depth: depth + 1, &names), stages(depth: depth + 1, &names)]
            case 2: stage.allOf = stages(depth: 2, &names)
            default: break
            }
            return stage
        }
    }
}

func requireSame<Value: Codable & Equatable>(_ value: Value) {
    do {
        let text = try JSONEncoder().encode(value)
        require(try JSONDecoder().decode(Value.self, from: text) == value, "it is read otherwise: \(value)")
    } catch {
        fatalError("\(error)")
    }
}

/// An expression is refused in one line, or is the same when it is written anew, and computes the same in all forms.
func checkExpression(_ input: inout Input) {
    let records = [input.record(), input.record()]
    let tree: ExpressionTree
    do {
        tree = try JSONDecoder().decode(ExpressionTree.self, from: Data(input.rest))
    } catch {
        if error is SchemaError { requireLine("\(error)") }
        return
    }
    requireSame(tree)
    do throws(SchemaError) {
        let condition = try schema.condition(tree)
        let pair = try schema.pairCondition(tree)
        let capturing = try schema.capturingCondition(tree)
        require(capturing.captured.isEmpty, "captured where there is nothing")
        let optional = try schema.projection(tree, as: Bool?.self)
        let negated = try schema.condition(.operation(.not, [.operation(.not, [tree])]))
        for record in records {
            let holds = condition.value(of: record)
            require(pair.value(of: record, after: records[0]) == holds, "'\(tree)' on neighbours")
            require(capturing.holds(for: record, given: []) == holds, "'\(tree)' in a pattern")
            require(negated.value(of: record) == holds, "'!!\(tree)'")
            require((optional.value(of: record) ?? false) == holds, "'\(tree)' as a value")
        }
    } catch {
        requireLine("\(error)")
    }
}

/// A pattern is refused in one line, or is the same when it is written anew, and both strategies find the same.
func checkPattern(_ input: inout Input) {
    let count = Int(input.byte() & 7)
    var events: [(DynamicRecord, Timestamp)] = []
    var time: Int64 = 0
    for _ in 0..<count {
        time += Int64(input.byte() & 15)
        events.append((input.record(), Timestamp(nanosecondsSinceEpoch: time)))
    }
    let written = try? JSONDecoder().decode(PatternDefinition.self, from: Data(input.rest))
    let definition = written ?? input.definition()
    requireSame(definition)
    let pattern: DynamicPattern<DynamicRecord>
    do throws(PatternError) {
        pattern = try DynamicPattern(definition, over: schema)
    } catch {
        return requireLine("\(error)")
    }
    func matches(_ strategy: StrategyChoice?) -> [String] {
        let limits = PatternLimits(partialMatches: 4096, partialMatchesPerGroup: 4096, events: 4096, groups: 64)
        let channel = TestChannel<DynamicRecord>()
        let stream = channel.matches(of: pattern, PatternSettings(limits: limits, strategy: strategy))
        let isCompact = stream.strategy == .compact
        let recorder = Recorder(stream)
        for (record, time) in events { channel.send(.element(record, time)) }
        channel.send(.completion(.finished))
        let found = recorder.elements.map { match in
            "\(match.entries.map { "\($0.capture) \($0.time) \($0.element)" })"
        }
        // What a limit left out may differ.
        guard strategy == nil, isCompact, stream.givenUpPartialMatches == 0 else { return found.sorted() }
        require(found.sorted() == matches(.runs), "the strategies find other matches of \(definition)")
        return found.sorted()
    }
    _ = matches(nil)
}
