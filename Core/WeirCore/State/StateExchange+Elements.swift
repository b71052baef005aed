extension StateExchange {
    /// Exchanges the values at some positions of a ring, and how large the ring is.
    ///
    /// - Parameters:
    ///   - ring: Saved, or replaced by one that has what was saved at the same positions.
    ///   - first: The first position.
    ///   - end: The position after the last one.
    ///   - filler: The value of all other places.
    /// - Throws: ``StateError``.
    package mutating func exchange<Value>(
        _ ring: inout PositionRing<Value>,
        _ first: UInt32,
        _ end: UInt32,
        filler: Value
    ) throws(StateError) {
        var capacity = ring.capacity
        var values = isSaving ? ring.values(from: first, count: Int(end &- first)) : []
        try exchange(&capacity)
        try exchange(&values)
        guard isRestoring else { return }
        guard (1...1 << 31).contains(capacity), values.count <= capacity, values.count == Int(end &- first) else {
            throw reader.damage("\(values.count) values of a ring of \(capacity) are not those of \(first)..<\(end)")
        }
        ring = PositionRing(capacity: capacity, filler: filler)
        ring.replace(from: first, with: values)
    }
}

extension StateExchange {
    /// Exchanges an array of which only a part is in memory at a time when it is restored.
    ///
    /// - Parameters:
    ///   - elements: Saved.
    ///   - size: How many bytes each of them has at least.
    ///   - take: Called with one part after the other, and how many elements there are in all; at least once.
    /// - Throws: ``StateError``, and what `take` throws.
    package mutating func exchange<Element: StateCodable>(
        _ elements: [Element],
        ofAtLeast size: Int,
        inParts take: (_ part: [Element], _ count: Int) throws(StateError) -> Void
    ) throws(StateError) {
        guard isRestoring else {
            var elements = elements
            return try exchange(&elements)
        }
        // The fields that follow have their places.
        _ = try codec(of: [Element].self)
        let count = try reader.count(ofElementsWithAtLeast: size)
        var part: [Element] = []
        part.reserveCapacity(min(count, Self.partLength))
        var rest = count
        repeat {
            part.removeAll(keepingCapacity: true)
            for _ in 0..<min(rest, Self.partLength) { part.append(try Element(restoringFrom: &reader)) }
            rest -= part.count
            try take(part, count)
        } while rest > 0
    }

    private static var partLength: Int { 512 }
}

// Collections of elements that exchange their states themselves, because they have closures beside it.
extension StateExchange {
    /// Exchanges a collection whose elements are no plain values.
    ///
    /// ```text
    /// try state.exchange(&cells, like: Cell(initial)) { cell, state throws(StateError) in
    ///     try state.exchange(&cell.start)
    ///     try cell.aggregate.exchangeState(&state)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - elements: Saved, or replaced by what was saved.
    ///   - prototype: What an element is before it gets its state.
    ///   - body: Exchanges the state of an element.
    /// - Throws: What `body` throws.
    package mutating func exchange<Elements: RangeReplaceableCollection & MutableCollection>(
        _ elements: inout Elements,
        like prototype: Elements.Element,
        _ body: (inout Elements.Element, inout StateExchange) throws(StateError) -> Void
    ) throws(StateError) {
        if mode == .describing || (mode == .saving && !isInRows) {
            let outer = mode
            mode = .describing
            fingerprint.mix("[")
            var element = prototype
            try body(&element, &self)
            fingerprint.mix("]")
            mode = outer
        }
        guard mode == .saving || isRestoring else { return }
        let outer = isInRows
        isInRows = true
        defer { isInRows = outer }
        let first = place
        if mode == .saving {
            writer.append(UInt64(elements.count))
            writer.items += elements.count
            var index = elements.startIndex
            while index != elements.endIndex {
                place = first
                try body(&elements[index], &self)
                elements.formIndex(after: &index)
            }
        } else {
            let count = try reader.count(ofElementsWithAtLeast: 1)
            elements = Elements()
            for _ in 0..<count {
                place = first
                var element = prototype
                try body(&element, &self)
                elements.append(element)
            }
        }
    }
}
