internal import WeirCore

/// A bounded sample that is spread evenly over everything that was added.
///
/// Each kept element stands for a stretch of arrivals of the same length and is drawn from it at random, so that what
/// alternates does not disappear. When the sample is full, two neighbours become one. The same input gives the same sample.
struct EvenSample<Element> {
    /// The kept elements, in the order of arrival.
    private(set) var elements: [Element] = []

    /// How many elements were added.
    private(set) var count = 0

    private let limit: Int
    private var random = SeededGenerator(seed: 1)

    /// How many arrivals a kept element stands for, and how many of them came in the last stretch.
    private var stretch = 1
    private var position = 1

    /// Creates an empty sample.
    init(limit: Int) {
        precondition(limit > 0 && limit.isMultiple(of: 2), "neighbours are joined in pairs")
        self.limit = limit
    }

    /// Adds an element.
    ///
    /// - Complexity: O(1) amortised.
    mutating func add(_ element: Element) {
        count += 1
        if position < stretch {
            position += 1
            if random.next() % UInt64(position) == 0 { elements[elements.count - 1] = element }
            return
        }
        if elements.count == limit {
            elements = (0..<limit / 2).map { elements[2 * $0 + Int(random.next() % 2)] }
            stretch *= 2
        }
        elements.append(element)
        position = 1
    }
}
