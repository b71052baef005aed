import Testing
import WeirCore
import WeirExpressions
import WeirSelection
import WeirTesting

/// The operators that take expressions do what those that take closures do.
@Suite struct ExpressionOperatorTests {
    @Test func filter() {
        Script.compare({ $0.where { $0.value > 0 } }) { signals in
            signals.flatMap { $0.map { $0.value > 0 ? [$0] : [] } }
        }
        Script.compare({ $0.where { $0.value > 0 && $0.timestamp < .epoch } }) { signals in
            signals.flatMap { $0.map { $0.value > 0 && $0.timestamp < .epoch ? [$0] : [] } }
        }
        Script.compare({ $0.where { $0.value > 0 }.where { $0.value < 3 } }) { signals in
            signals.flatMap { $0.map { (1..<3).contains($0.value) ? [$0] : [] } }
        }
    }

    @Test func map() {
        Script.compare({ $0.select { $0.value * 2 + 1 } }) { signals in
            signals.flatMap { $0.map { [$0.value * 2 + 1] } }
        }
    }

    /// `doubled` has no place in memory.
    @Test func computedPropertiesWork() {
        Script.compare({ $0.where { $0.doubled >= 2 }.select { $0.doubled - 1 } }) { signals in
            signals.flatMap { $0.map { $0.value >= 1 ? [$0.value * 2 - 1] : [] } }
        }
    }

    @Test func scan() {
        Script.compare({ $0.map(\.value).scan(into: 0, with: BinaryOperations.Sum.self) }) { signals in
            var sum = 0
            return signals.flatMap { signal in
                sum += signal.element?.value ?? 0
                return signal.map { _ in [sum] }
            }
        }
    }

    @Test func bothFormsStandSideBySide() {
        let channel = EventChannel<Sample>()
        let limit = 1
        let closures = Recorder(channel.filter { $0.value > limit }.map(\.value))
        let mixed = Recorder(channel.where { $0.value > limit }.map { $0.value })
        let shorthand = Recorder(channel.where { $0.isPositive }.where { $0.value > limit }.select { $0.value * 1 })
        for value in -1...3 { channel.publish(Sample(value, at: 0)) }
        for recorder in [closures, mixed, shorthand] { #expect(recorder.elements == [2, 3]) }
    }

    @Test func theConditionOfAStreamCanBeRead() {
        let stream = EventChannel<Sample>().where { $0.value > 0 && $0.value != 2 }.select { $0.value * 2 }
        #expect(stream.projection.description == "value * 2")
        let filtered = EventChannel<Sample>().where { $0.value > 0 && $0.value != 2 }
        #expect(filtered.condition.description == "value > 0 && value != 2")
    }
}

extension Sample {
    var doubled: Int { value * 2 }
    var isPositive: Bool { value > 0 }
}
