/// A regular expression whose table would have too many states: all places are followed at once.
struct PositionMatcher: Sendable {
    private let positions: [Bits]
    private let first: Bits
    private let alphabet: Alphabet

    /// The places that read each class.
    private let readers: [Bits]

    init(_ expression: Positions, ignoringCase ignoresCase: Bool) {
        positions = expression.following
        first = expression.first
        let alphabet = Alphabet(of: Set(expression.sets), ignoringCase: ignoresCase)
        self.alphabet = alphabet
        readers = alphabet.samples.map { sample in
            var places = Bits(count: expression.count + 1)
            for (place, set) in expression.sets.enumerated() where set.contains(sample) { places.insert(place) }
            return places
        }
    }

    /// Whether a text is accepted.
    ///
    /// - Complexity: O(*n* · *m*²) in the bytes of the text and the places, with 64 places in one step.
    func matches(_ text: Span<UInt8>) -> Bool {
        var (current, next) = (first, first)
        var index = 0
        while index < text.count {
            next.removeAll()
            let character = alphabet.next(in: text, at: &index)
            current.forEach(alsoIn: readers[Int(character)]) { place in next.formUnion(positions[place]) }
            if next.isEmpty { return false }
            swap(&current, &next)
        }
        return current.contains(positions.count)
    }
}
