/// The elements of pending matches, by number; numbers are used again.
///
/// Not of their type, so that it is compiled once, here: that costs a box for each of them that is large.
struct KeptElements: Sendable {
    private var elements: [(any Sendable)?] = []
    // For each pipe what its terms are of the element; empty where no pipe has terms.
    private var values: [[[QueryValue]]] = []
    private var holders: [Int32] = []
    private var unused: [UInt32] = []

    /// Keeps an element for one more holder.
    ///
    /// - Parameters:
    ///   - number: Its number; `FoundMatches.missing` where it is not kept yet.
    ///   - element: The element.
    ///   - values: For each pipe what its terms are of the element.
    /// - Returns: Its number.
    mutating func keep(_ number: UInt32, _ element: some Sendable, _ values: () -> [[QueryValue]]) -> UInt32 {
        guard number == FoundMatches.missing else {
            holders[Int(number)] += 1
            return number
        }
        return add(element, values())
    }

    private mutating func add(_ element: any Sendable, _ values: [[QueryValue]]) -> UInt32 {
        guard let number = unused.popLast() else {
            elements.append(element)
            holders.append(1)
            self.values.append(values)
            return UInt32(elements.count - 1)
        }
        elements[Int(number)] = element
        self.values[Int(number)] = values
        holders[Int(number)] = 1
        return number
    }

    /// Removes a holder; with the last one the element goes.
    mutating func release(_ number: UInt32) {
        holders[Int(number)] -= 1
        guard holders[Int(number)] == 0 else { return }
        elements[Int(number)] = nil
        values[Int(number)] = []
        unused.append(number)
    }

    /// An element as a checkpoint has it.
    func saved<Root>(_ number: UInt32, as type: Root.Type) -> SavedElement<Root>? {
        element(number, as: type).map { SavedElement(element: $0, values: values[Int(number)]) }
    }

    /// Keeps the elements of a checkpoint, each for one holder.
    ///
    /// - Returns: Their numbers.
    mutating func restore(_ saved: [SavedElement<some Sendable>]) -> [UInt32] {
        saved.map { add($0.element, $0.values) }
    }

    /// Adds a holder.
    mutating func retain(_ number: UInt32) { holders[Int(number)] += 1 }

    func element<Root>(_ number: UInt32, as type: Root.Type) -> Root? { elements[Int(number)] as? Root }

    /// For each pipe what its terms are of an element.
    func values(_ number: UInt32) -> [[QueryValue]] { values[Int(number)] }
}

/// An element of pending matches, as a checkpoint has it.
struct SavedElement<Root> {
    let element: Root
    let values: [[QueryValue]]
}
