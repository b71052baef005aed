import Foundation
import Testing

/// The cases of RxJS's own tests, as far as Weir has the operators: equal in elements, event times and ends, or different on
/// purpose.
///
/// Reads `../shared/peers/rx-marbles.json`, seen from the package.
@Suite struct RxMarbleTests {
    private enum Outcome {
        case equal
        case different(String)
        case noOperator(String)
    }

    private func outcome(of test: RxMarbleCase) throws -> Outcome {
        let stage = RxStage(test)
        do {
            try stage.build()
        } catch RxSkip.noOperator(let what) {
            return .noOperator(what)
        } catch RxSkip.refused {
            return .different("is refused")
        }
        let expected = RxMarbles(test.expected, values: test.values).notes
        let found = stage.play()
        return found == expected ? .equal : .different("expected \(expected), found \(found)")
    }

    @Test(.enabled(if: RxMarbleCase.isAvailable, "../shared/peers/rx-marbles.json is missing"))
    func casesAreEqualOrDifferOnPurpose() throws {
        let cases = try RxMarbleCase.all()
        let listed = Set(RxDifference.all.flatMap(\.cases))
        var unseen = listed
        var (equal, different, lacking) = (0, 0, [String: Int]())
        for (id, test) in cases {
            let isListed = listed.contains(id)
            unseen.remove(id)
            switch try outcome(of: test) {
            case .equal:
                equal += 1
                #expect(!isListed, "\(id): is equal, but listed as different")
            case .different(let difference):
                different += 1
                #expect(isListed, "\(id): \(difference)")
            case .noOperator(let what):
                lacking["\(test.op): \(what)", default: 0] += 1
                #expect(!isListed, "\(id): has no operator, but is listed as different")
            }
        }
        #expect(unseen.isEmpty, "listed as different, but not among the cases")
        #expect(lacking == RxLack.counts)
        let none = lacking.values.reduce(0, +)
        #expect(equal + different + none == cases.count)
        print("RxJS: \(equal) equal, \(different) different as documented, \(none) without an operator")
        for (what, count) in lacking.sorted(by: { $0.key < $1.key }) { print("  \(what): no such operator, \(count)") }
    }

    @Test func differencesAreDocumented() throws {
        for difference in RxDifference.all {
            let file = RxMarbleCase.root.appendingPathComponent(difference.file)
            let text = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "\n    /// ", with: " ")
            #expect(text.contains(difference.sentence), "\(difference.file) does not say: \(difference.sentence)")
            #expect(Set(difference.cases).count == difference.cases.count && !difference.cases.isEmpty)
        }
    }
}
