internal import WeirCore

/// What keeps the keys of a sequence, and lets go of them.
extension SequenceEngine {
    /// Declares that no event before a time follows: what waited for less long is certain, and what can lead nowhere goes.
    @inline(__always)
    mutating func advance(to time: Int64, found: inout FoundMatches) {
        if shape.hasTrailing {
            while let deadline = waiting.earliestDeadline(), deadline < time { emitWaiting(deadline, &found) }
        }
        guard shape.maxSpan != nil else { return }
        while recent.oldest >= 0 {
            let place = Int(recent.oldest)
            guard SequenceShape.distance(from: recent.time(of: place), to: time) > maxSpan else { return }
            dropAll(at: place, .maxSpan)
            close(place)
        }
    }

    /// Declares that no event follows.
    mutating func finish(found: inout FoundMatches) {
        while let deadline = waiting.earliestDeadline() { emitWaiting(deadline, &found) }
    }

    private mutating func emitWaiting(_ deadline: Int64, _ found: inout FoundMatches) {
        let entry = waiting.takeFirst()
        observer.isCertain(at: Int(entry.place), deadline)
        emit(entry.chain, nil, table.key(at: Int(entry.place)), deadline, &found)
        closeIfEmpty(Int(entry.place))
    }

    /// Makes the place of a key that is about to begin something, or the newest one of the place that it has.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - place: Its place; negative where it has none.
    ///   - time: The time of the event.
    /// - Returns: Its place.
    mutating func open(_ key: EventKey, _ place: Int, _ time: Int64) -> Int {
        if place >= 0 {
            recent.touch(place, at: time)
            return place
        }
        let place = table.add(key)
        recent.add(place, at: time)
        let needed = table.capacity
        while slots.count < needed * stride {
            slots.append(SequenceSlot())
            if shape.hasLeading { leads.append(.min) }
        }
        if shape.hasLeading {
            while lastLeads.count < needed { lastLeads.append(.min) }
        }
        return place
    }

    /// Makes room for keys at once, of which it has none yet, and for a match of each.
    mutating func reserve(_ count: Int) {
        table.reserve(count)
        recent.reserve(count)
        chains.reserve(count)
        slots = Array(roomFor: count * stride)
    }

    /// Gives up the oldest keys beyond the limit.
    @inline(__always)
    mutating func makeRoom() {
        while table.count >= limit || chains.count > limit {
            let place = Int(recent.oldest)
            guard place >= 0 else { return }
            givenUpCount += UInt64(dropAll(at: place, .limit) + endWaiting(at: place, .limit))
            close(place)
        }
    }

    /// Drops all pending matches of a key.
    ///
    /// - Returns: How many there were.
    @discardableResult
    mutating func dropAll(at place: Int, _ reason: SequenceEnd) -> Int {
        let count = openCount
        for index in place * stride..<(place + 1) * stride where slots[index].chain >= 0 {
            chains.remove(slots[index].chain)
            slots[index].chain = -1
            openCount -= 1
            observer.drops(index - place * stride + 1, at: place, reason)
        }
        return count - openCount
    }

    /// Drops the matches of a key that wait.
    ///
    /// - Returns: How many there were.
    @discardableResult
    mutating func endWaiting(at place: Int, _ reason: SequenceEnd) -> Int {
        let ended = waiting.end(at: place)
        for chain in ended { chains.remove(chain) }
        observer.endsWaiting(at: place, reason)
        return ended.count
    }

    /// Forgets a key of which nothing is kept.
    mutating func closeIfEmpty(_ place: Int) {
        for index in place * stride..<(place + 1) * stride where slots[index].chain >= 0 { return }
        guard recent.contains(place), !waiting.hasEntry(at: place) else { return }
        if shape.hasLeading, lastLeads[place] > .min { return }
        close(place)
    }

    private mutating func close(_ place: Int) {
        table.remove(at: place)
        recent.remove(place)
        if shape.hasLeading { lastLeads[place] = .min }
    }
}
