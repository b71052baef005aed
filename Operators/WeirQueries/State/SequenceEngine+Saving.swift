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
                saved.matches.append(match(fields, slots[slot].chain, &numbers))
            }
        }
        for entry in waiting.all {
            guard let index = indexes[Int(entry.place)] else { continue }
            let passed = UInt32(stride + 1)
            let fields = SavedMatch.Fields(time: entry.deadline, key: index, passed: passed, isRejected: false)
            saved.matches.append(match(fields, entry.chain, &numbers))
        }
        return saved
    }

    /// A match with the events of a chain, the first one first.
    private func match(_ fields: SavedMatch.Fields, _ chain: Int32, _ numbers: inout EventNumbers) -> SavedMatch {
        var match = SavedMatch(fields)
        var index = match.eventCount
        chains.forEach(of: chain) { event in
            index -= 1
            match[index] = event
        }
        // The first one has the first number.
        for index in 0..<match.eventCount { match[index] = numbers.number(of: match[index]) }
        return match
    }

    /// How many keys are on their way together.
    private static var prefetchDistance: Int { 16 }

    /// Gets keys that were saved, behind those that it got before; it has kept nothing else yet.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - count: How many there are in all.
    /// - Returns: Whether they make sense.
    mutating func restore(_ keys: [SavedKey], of count: Int) -> Bool {
        if table.count == 0 { reserve(count) }
        for (index, key) in keys.enumerated() {
            if index + Self.prefetchDistance < keys.count { table.prefetch(keys[index + Self.prefetchDistance].key) }
            guard table.place(of: key.key) < 0 else { return false }
            let place = open(key.key, -1, key.time)
            if shape.hasLeading { lastLeads[place] = key.lead }
        }
        return true
    }

    /// Gets matches that were saved, behind all keys.
    ///
    /// - Parameters:
    ///   - matches: The matches.
    ///   - events: The events of the checkpoint.
    ///   - retain: Called with each event that has one holder more.
    /// - Returns: Whether they make sense.
    mutating func restore(_ matches: [SavedMatch], _ events: RestoredEvents, _ retain: (UInt32) -> Void) -> Bool {
        for match in matches {
            let (fields, passed) = (match.fields, match.eventCount)
            let isWaiting = passed == stride + 1
            guard fields.key < table.count, passed > 0, passed <= stride || isWaiting && shape.hasTrailing else {
                return false
            }
            // The places are new: they are in the order of the keys.
            let place = Int(fields.key)
            let slot = place * stride + passed - 1
            guard isWaiting || slots[slot].chain < 0 else { return false }
            var chain: Int32 = -1
            for index in 0..<passed {
                guard let number = events.take(match[index], retain) else { return false }
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
