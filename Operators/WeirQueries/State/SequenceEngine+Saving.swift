extension SequenceEngine {
    /// What it keeps.
    func saved(_ numbers: inout EventNumbers) -> SavedRule {
        var saved = SavedRule()
        saved.keys.reserveCapacity(table.count)
        saved.matches.reserveCapacity(openCount + waiting.count)
        var indexes: [Int: UInt32] = [:]
        let waitsForMissing = waiting.count > 0
        recent.forEach { place in
            var key = SavedKey(table.key(at: place))
            key.time = recent.time(of: place)
            if shape.hasLeading { key.lead = lastLeads[place] }
            let index = UInt32(saved.keys.count)
            if waitsForMissing { indexes[place] = index }
            saved.keys.append(key)
            for slot in place * stride..<(place + 1) * stride where slots[slot].chain >= 0 {
                let fields = SavedMatch.Fields(
                    time: slots[slot].first,
                    lead: shape.hasLeading ? leads[slot] : .min,
                    key: index,
                    passed: UInt32(slot - place * stride + 1),
                    isRejected: slots[slot].isRejected
                )
                saved.matches.append(SavedMatch(fields, events(of: slots[slot].chain, &numbers)))
            }
        }
        for entry in waiting.all {
            guard let index = indexes[Int(entry.place)] else { continue }
            let passed = UInt32(stride + 1)
            let fields = SavedMatch.Fields(time: entry.deadline, key: index, passed: passed, isRejected: false)
            saved.matches.append(SavedMatch(fields, events(of: entry.chain, &numbers)))
        }
        return saved
    }

    /// The events of a chain, the first one first.
    private func events(of chain: Int32, _ numbers: inout EventNumbers) -> [UInt32] {
        var events: [UInt32] = []
        events.reserveCapacity(stride + 1)
        chains.forEach(of: chain) { events.append($0) }
        events.reverse()
        // The first one has the first number.
        for index in events.indices { events[index] = numbers.number(of: events[index]) }
        return events
    }

    /// How many keys are on their way together.
    private static var prefetchDistance: Int { 16 }

    /// Gets what was saved; it has kept nothing yet.
    ///
    /// - Parameters:
    ///   - saved: What was saved.
    ///   - events: The events of the checkpoint.
    ///   - retain: Called with each event that has one holder more.
    /// - Returns: Whether what was saved makes sense.
    mutating func restore(_ saved: SavedRule, _ events: RestoredEvents, _ retain: (UInt32) -> Void) -> Bool {
        table.reserve(saved.keys.count)
        for (index, key) in saved.keys.enumerated() {
            if index + Self.prefetchDistance < saved.keys.count {
                table.prefetch(saved.keys[index + Self.prefetchDistance].key)
            }
            guard table.place(of: key.key) < 0 else { return false }
            let place = open(key.key, -1, key.time)
            if shape.hasLeading { lastLeads[place] = key.lead }
        }
        for match in saved.matches {
            let (fields, passed) = (match.fields, Int(match.fields.passed))
            let isWaiting = passed == stride + 1
            guard fields.key < saved.keys.count, passed > 0, passed <= stride || isWaiting && shape.hasTrailing else {
                return false
            }
            // The places are new: they are in the order of the keys.
            let place = Int(fields.key)
            let slot = place * stride + passed - 1
            guard isWaiting || slots[slot].chain < 0 else { return false }
            var chain: Int32 = -1
            for event in match.events {
                guard let number = events.take(event, retain) else { return false }
                chain = chains.append(number, to: chain)
            }
            if isWaiting {
                waiting.add(chain, at: place, until: fields.time)
            } else {
                slots[slot] = SequenceSlot(first: fields.time, chain: chain, isRejected: fields.isRejected)
                if shape.hasLeading { leads[slot] = fields.lead }
                openCount += 1
            }
        }
        return true
    }
}
