import WeirCore
import WeirFlow
import WeirSelection
import WeirSequences

/// The operators that go by the elements of one stream.
extension RxStage {
    func buildSelection() throws {
        switch test.op {
        case "distinct-until-changed": buildChanges()
        case "element-at": recordOrDefault(self["e1"].element(at: number).failIfEmpty())
        case "first": buildFirst()
        case "last": buildLast()
        case "pairwise": record(self["e1"].pairwise().map { $0.0 + $0.1 })
        case "skip":
            if number < 0 { throw RxSkip.refused }
            record(source.drop(number))
        case "skip-until": record(source.dropUntil(self[test.ins[1].name]))
        case "skip-while": buildDropWhile()
        case "take": try buildTake()
        case "take-last":
            guard number > 0 else { throw RxSkip.refused }
            record(self["e1"].takeLast(number))
        case "take-while": buildTakeWhile()
        default: preconditionFailure("there is no table for \(test.op)")
        }
    }

    private var source: RxStream { self[test.ins[0].name] }

    /// Goes on with the default value of the call where there is no element.
    private func recordOrDefault(_ stream: some EventStream<String>) {
        let value: String? =
            if calls(", undefined)") {
                "U"
            } else if calls("defaultValue") {
                "x"
            } else {
                ["a", "d", "x"].first { calls(", '\($0)')") }
            }
        guard let value else { return record(stream) }
        let (other, failed) = (cold("(\(value)|)"), cold("#"))
        record(stream.catch { $0 is SelectionError ? other : failed })
    }

    private func buildChanges() {
        let input = self["e1"]
        if isNamed("comparator throws") || isNamed("keySelector throws") {
            record(input.throwing(at: "d").changes())
        } else if isNamed("comparator returns true") {
            record(input.changes { _, _ in false })
        } else if isNamed("comparator returns false") {
            record(input.changes { _, _ in true })
        } else if isNamed("values by comparator") {
            record(input.changes { _, current in "ace".contains(current) })
        } else if isNamed("to pick comparator values") {
            record(input.changes { _, current in "bdf".contains(current) })
        } else if isNamed("even for the first emit") {
            record(input.changes(of: { $0.count }))
        } else {
            record(input.changes())
        }
    }

    private func buildFirst() {
        let input = self["e1"]
        if calls("(predicate)") {
            record(input.throwing(at: "d").first { _ in false }.failIfEmpty())
        } else if calls("[delay]") {
            record(input.first().failIfEmpty().delay(by: duration()))
        } else if calls("=== 'c'") {
            record(input.first { $0 == "c" }.failIfEmpty())
        } else if calls("=== 's'") {
            recordOrDefault(input.first { $0 == "s" }.failIfEmpty())
        } else if calls("=== 'b'") {
            recordOrDefault(input.first { $0 == "b" }.failIfEmpty())
        } else if calls("% 2") {
            // The odd ones of the numbers that the letters stand for.
            record(input.first { "ace".contains($0) }.failIfEmpty())
        } else if calls("i === 2") {
            record(input.enumerated().first { $0.index == 2 }.failIfEmpty().map(\.element))
        } else {
            recordOrDefault(input.first().failIfEmpty())
        }
    }

    private func buildLast() {
        let input = self["e1"]
        if calls("(predicate)") {
            record(input.throwing(at: "c").filter { _ in false }.last().failIfEmpty())
        } else if calls("=== 'b'") {
            recordOrDefault(input.filter { $0 == "b" }.last().failIfEmpty())
        } else {
            recordOrDefault(input.last().failIfEmpty())
        }
    }

    private func buildDropWhile() {
        if isNamed("predicate that throws") {
            record(source.throwing(at: "e").drop(while: { _ in true }))
        } else if calls("=> true") || calls("{ return {}") {
            record(source.drop(while: { _ in true }))
        } else if calls("=> false") || calls("=> undefined") {
            record(source.drop(while: { _ in false }))
        } else if isNamed("until predicate is false") {
            record(source.drop(while: { $0 < "4" }))
        } else if isNamed("hot source") {
            record(source.drop(while: { $0 < "5" }))
        } else if isNamed("source throws") {
            record(source.drop(while: { $0 != "d" }))
        } else {
            record(source.drop(while: { $0 != "e" }))
        }
    }

    private func buildTake() throws {
        let input = self["e1"]
        if calls("subject") {
            // The subject fails while the only element that is wanted is handled.
            let subject = Subject()
            record(input.union(subject.stream).take(1).tap { _ in subject.fail() })
        } else if number < 1 {
            throw RxSkip.refused
        } else {
            record(input.take(number))
        }
    }

    private func buildTakeWhile() {
        let input = self["e1"]
        if isNamed("predicate throws") {
            record(input.throwing(at: "b").take(while: { _ in true }))
        } else if calls("includeLast") {
            record(input.takeThrough { $0 == "d" })
        } else if calls("+v < 4") {
            record(input.take(while: { $0 < "4" }))
        } else if calls("=> true") || calls("{ return {}") {
            record(input.take(while: { _ in true }))
        } else if calls("=> false") || calls("=> null") {
            record(input.take(while: { _ in false }))
        } else if isNamed("pass element index") {
            record(input.enumerated().take(while: { $0.index < 2 }).map(\.element))
        } else {
            record(input.take(while: { $0 != "d" }))
        }
    }
}
