/// What keeps the keys of a sequence, and lets go of them.
extension SequenceEngine {
    /// Declares that no event before a time follows: what waited for less long is certain, and what can lead nowhere goes.
    mutating func advance(to time: Int64, found: inout [FoundMatch<Payload>]) {
        while let deadline = waiting.earliestDeadline(), deadline < time { emitWaiting(deadline, &found) }
        guard shape.maxSpan != nil else { return }
        while recent.oldest >= 0 {
            let place = Int(recent.oldest)
            guard Self.distance(from: recent.time(of: place), to: time) > maxSpan else { return }
            dropAll(at: place)
            close(place)
        }
    }

    /// Declares that no event follows.
    mutating func finish(found: inout [FoundMatch<Payload>]) {
        while let deadline = waiting.earliestDeadline() { emitWaiting(deadline, &found) }
    }

    private mutating func emitWaiting(_ deadline: Int64, _ found: inout [FoundMatch<Payload>]) {
        let entry = waiting.takeFirst()
        emit(entry.chain, table.key(at: Int(entry.place)), deadline, &found)
        chains.remove(entry.chain)
        closeIfEmpty(Int(entry.place))
    }

    /// Makes the place of a key that is about to begin something, or the newest one of the place that it has.
    mutating func open(_ keys: inout EventKeys, _ set: Int, _ index: Int, _ time: Int64) -> Int {
        if keys[set][index].place >= 0 {
            recent.touch(keys[set][index].place, at: time)
            return keys[set][index].place
        }
        let key = keys[set][index].bytes
        let place = table.add(key)
        // The key may be one of other steps too.
        for set in keys.indices {
            for index in keys[set].indices where keys[set][index].bytes == key { keys[set][index].place = place }
        }
        recent.add(place, at: time)
        let needed = table.capacity
        while pending.count < needed * stride {
            pending.append(-1)
            firsts.append(0)
            if shape.hasLeading { leads.append(.min) }
            if shape.hasInner { rejected.append(false) }
        }
        if shape.hasLeading {
            while lastLeads.count < needed { lastLeads.append(.min) }
        }
        return place
    }

    /// Gives up the oldest keys beyond the limit.
    mutating func makeRoom() {
        while table.count >= limit || chains.count > limit {
            let place = Int(recent.oldest)
            guard place >= 0 else { return }
            givenUpCount += UInt64(dropAll(at: place) + endWaiting(at: place))
            close(place)
        }
    }

    /// Drops a pending match that has passed some stages.
    mutating func drop(_ stage: Int, at place: Int) {
        let slot = place * stride + stage - 1
        guard pending[slot] >= 0 else { return }
        chains.remove(pending[slot])
        pending[slot] = -1
        openCount -= 1
    }

    /// Drops all pending matches of a key.
    ///
    /// - Returns: How many there were.
    @discardableResult
    mutating func dropAll(at place: Int) -> Int {
        let count = openCount
        for stage in 0..<stride { drop(stage + 1, at: place) }
        return count - openCount
    }

    /// Drops the matches of a key that wait.
    ///
    /// - Returns: How many there were.
    @discardableResult
    mutating func endWaiting(at place: Int) -> Int {
        let ended = waiting.end(at: place)
        for chain in ended { chains.remove(chain) }
        return ended.count
    }

    /// Forgets a key of which nothing is kept.
    mutating func closeIfEmpty(_ place: Int) {
        guard recent.contains(place), !waiting.hasEntry(at: place) else { return }
        for slot in place * stride..<(place + 1) * stride where pending[slot] >= 0 { return }
        if shape.hasLeading, lastLeads[place] > .min { return }
        close(place)
    }

    private mutating func close(_ place: Int) {
        table.remove(at: place)
        recent.remove(place)
        if shape.hasLeading { lastLeads[place] = .min }
    }
}
