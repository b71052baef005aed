import WeirCore
import WeirTesting

/// Runs a reference element by element over the operator's input, until it is done.
func walk(
    _ arrivals: [Arrival],
    inputs: Int = 2,
    _ onElement: (Int, Keyed, inout Outcome<[Keyed]>) -> Bool,
    onInputEnd: (Int) -> Bool
) -> Outcome<[Keyed]> {
    var outcome = Outcome<[Keyed]>()
    var junction = ReferenceJunction(inputs: inputs)
    for arrival in arrivals {
        switch arrival.signal {
        case .element(let element, _):
            if onElement(arrival.input, element, &outcome) {
                outcome.signals.append(.completion(.finished))
                return outcome
            }
            continue
        case .watermark(let watermark): junction.watermarks[arrival.input] = watermark
        case .completion(.finished):
            junction.finished[arrival.input] = true
            junction.watermarks[arrival.input] = .distantFuture
            if onInputEnd(arrival.input) || !junction.finished.contains(false) {
                outcome.signals.append(.completion(.finished))
                return outcome
            }
        case .completion(let completion):
            outcome.signals.append(.completion(completion))
            return outcome
        }
        let earliest = junction.watermarks.min() ?? .distantPast
        if earliest > junction.watermark {
            junction.watermark = earliest
            outcome.signals.append(.watermark(earliest))
        }
    }
    return outcome
}
