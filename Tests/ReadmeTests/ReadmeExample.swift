// The README's example, word for word, but for the output: `ReadmeTests` compares the two.
import WeirCore
import WeirSelection
import WeirSequences

// example begins
struct Reading: Event {
    let timestamp: Timestamp
    let celsius: Double
}

func runReadmeExample(print: @escaping @Sendable (String) -> Void) {
    // example continues
    let readings = EventChannel<Reading>()
    readings
        .filter { $0.celsius > -40 }
        .followedBy { previous, current in current.celsius - previous.celsius > 5 }
        .subscribe { (before, after) in print("jump: \(before.celsius) → \(after.celsius)") }
    readings.publish(Reading(timestamp: .epoch, celsius: 18))
    readings.publish(Reading(timestamp: .epoch + .seconds(1), celsius: 24))
    // example ends
}
