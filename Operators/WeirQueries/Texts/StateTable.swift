/// States and ways between them: a regular expression whose next step is one look into a table.
struct StateTable: Sendable {
    /// How many states a table may have.
    static let limit = 1000

    /// The classes of characters.
    let alphabet: Alphabet

    /// Where each state leads with each class: the number of a state, times the classes.
    private var ways: [Int32] = []

    /// The states at which a text may end.
    private(set) var accepting: [Bool] = []

    /// The first state.
    let start = 0

    /// The first state from which no text is accepted, and from which all are, times the classes; -1 where there is none.
    private var refusal: Int32 = -1
    private var acceptance: Int32 = -1

    /// Makes the table of expressions that are matched side by side.
    ///
    /// - Parameters:
    ///   - expressions: The expressions.
    ///   - ignoresCase: Whether a letter of ASCII in a text is taken as its lower case.
    ///   - accepts: Whether a text is accepted, by which of the expressions match it.
    /// - Throws: That there are more states.
    init(
        _ expressions: [Positions],
        ignoringCase ignoresCase: Bool = false,
        accepts: ([Bool]) -> Bool
    ) throws(TextPatternError) {
        alphabet = Alphabet(of: Set(expressions.flatMap(\.sets)), ignoringCase: ignoresCase)
        let readers = expressions.map { expression in
            alphabet.samples.map { sample in
                var places = Bits(count: expression.count + 1)
                for (place, set) in expression.sets.enumerated() where set.contains(sample) { places.insert(place) }
                return places
            }
        }
        var states = [expressions.map(\.first)]
        var numbers = [states[0]: 0]
        var next = 0
        while next < states.count {
            let state = states[next]
            next += 1
            accepting.append(accepts(zip(state, expressions).map { $0.contains($1.count) }))
            for character in 0..<alphabet.count {
                var reached = expressions.map { Bits(count: $0.count + 1) }
                for (index, expression) in expressions.enumerated() {
                    state[index].forEach(alsoIn: readers[index][character]) { place in
                        reached[index].formUnion(expression.following[place])
                    }
                }
                let number = numbers[reached] ?? states.count
                if number == states.count {
                    guard states.count < Self.limit else {
                        throw TextPatternError(
                            "the expression takes more than \(Self.limit) states; write it without '~' and '&'",
                            at: 0
                        )
                    }
                    numbers[reached] = number
                    states.append(reached)
                }
                ways.append(Int32(number * alphabet.count))
            }
        }
        for state in states.indices where ways(of: state).allSatisfy({ Int($0) == state * alphabet.count }) {
            let number = Int32(state * alphabet.count)
            if accepting[state] { acceptance = number } else { refusal = number }
        }
    }

    private func ways(of state: Int) -> ArraySlice<Int32> {
        ways[(state * alphabet.count)..<((state + 1) * alphabet.count)]
    }

    /// Where a state leads, and with which characters.
    func ways(from state: Int) -> [(target: Int, ScalarSet)] {
        var classes: [Int: Set<UInt16>] = [:]
        for (character, way) in ways(of: state).enumerated() {
            classes[Int(way) / alphabet.count, default: []].insert(UInt16(character))
        }
        return classes.sorted { $0.key < $1.key }.map { ($0.key, alphabet.set(of: $0.value)) }
    }

    /// Whether a text is accepted.
    func matches(_ text: Span<UInt8>) -> Bool {
        var state: Int32 = 0
        var index = 0
        while index < text.count {
            state = ways[Int(state) + Int(alphabet.next(in: text, at: &index))]
            if state == refusal { return false }
            if state == acceptance { return true }
        }
        return accepting[Int(state) / alphabet.count]
    }
}
