import WeirCore
import WeirCreation
import WeirFlow
import WeirSelection
import WeirTesting

extension EventStream<String> {
    /// The elements as far as one that a function throws at.
    func throwing(at letter: String) -> some EventStream<String> {
        tryMap { element in
            if element == letter { throw MarbleFailure() }
            return element
        }
    }
}

/// The operators of several streams.
extension RxStage {
    func buildOfMany() throws {
        switch test.op {
        case "catch-error": try buildCatch()
        case "combine-latest", "combine-latest-with": try buildCombineLatest()
        case "concat-with":
            if calls("([])") {
                record(self["e1"].concat(EmptyStream()))
            } else {
                record(self["e1"].concat(self["e2"]))
            }
        case "merge-with": record(self["e1"].union(self["e2"]))
        case "take-until": buildTakeUntil()
        case "with-latest-from": buildWithLatest()
        default: try buildZip()
        }
    }

    /// A stream that a test lets fail.
    struct Subject: Sendable {
        let stream = TestChannel<String>()

        func fail() { stream.send(.completion(.failed(MarbleFailure()))) }
    }

    private func buildCatch() throws {
        if calls("[map]") {
            buildCatchOfMap()
        } else if calls("ColdObservable.from") {
            let letters = calls("'a'") ? ["a", "b", "c"] : ["x", "y", "z"]
            let start = time(0)
            record(self["e1"].catch { _ in Values(letters, at: { _ in start }) })
        } else {
            let other = self["e2"]
            record(self["e1"].catch { _ in other })
        }
    }

    /// A function that throws is that of `tryMap`; attaching once more is what `retry` does.
    private func buildCatchOfMap() {
        let mapped = self["e1"].throwing(at: "c")
        if isNamed("Observable.of()") {
            let other = cold("(XYZ|)")
            record(mapped.catch { _ in other })
        } else {
            record(mapped.retry(isNamed("cold") ? 2 : 9))
        }
    }

    private func buildCombineLatest() throws {
        if calls("[distinct]") { throw RxSkip.noOperator(RxLack.identity) }
        if test.op == "combine-latest" {
            let pairs = self["e1"].combineLatest(self["e2"]).map { $0.0 + $0.1 }
            record(pairs.combineLatest(self["e3"]).map { $0.0 + $0.1 })
        } else if calls("left[") {
            record(self["left"].combineLatest(self["right"]).map { $0.0 + $0.1 })
        } else if calls("e2[") {
            record(self["e2"].combineLatest(self["e1"]).map { $0.0 + $0.1 })
        } else {
            record(self["e1"].combineLatest(self["e2"]).map { $0.0 + $0.1 })
        }
    }

    private func buildTakeUntil() {
        if test.ins.count > 1 {
            record(self["e1"].take(until: self["e2"]))
        } else if isNamed("synchronously emits") {
            record(self["e1"].take(until: Values(["x"], at: { _ in .epoch })))
        } else {
            record(self["e1"].take(until: EmptyStream<String>()))
        }
    }

    private func buildWithLatest() {
        let pairs = self["e1"].withLatest(from: self["e2"]).map { $0.0 + $0.1 }
        if test.ins.count == 3 {
            record(pairs.withLatest(from: self["e3"]).map { $0.0 + $0.1 })
        } else {
            record(pairs)
        }
    }

    private var iterableCount: Int {
        if calls("myIterator") { return 4 }
        if isNamed("many iterable") { return 3 }
        return isNamed("an empty iterable") || isNamed("and empty iterable") ? 0 : 1
    }

    private func buildZip() throws {
        let names = test.ins.map(\.name)
        if isNamed("selector that throws") {
            let iterable = Values(["4", "5", "6"], at: { _ in .epoch })
            record(
                self[names[0]].zip(iterable, limit: 100).tryMap { pair in
                    if pair.0 == "2" { throw MarbleFailure() }
                    return pair.0 + pair.1
                }
            )
        } else if names.count == 1 {
            // The values of an iterable are not in the file, and not in what is expected; only how many there are.
            let iterable = Values(Array(repeating: "", count: iterableCount), at: { _ in .epoch })
            record(self[names[0]].zip(iterable, limit: 100).map { $0.0 + $0.1 })
        } else {
            let pairs = self[names[0]].zip(self[names[1]], limit: 100).map { $0.0 + $0.1 }
            if names.count == 3 {
                record(pairs.zip(self[names[2]], limit: 100).map { $0.0 + $0.1 })
            } else {
                record(pairs)
            }
        }
    }
}
