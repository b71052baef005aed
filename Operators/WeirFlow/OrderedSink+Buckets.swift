public import WeirCore

extension OrderedSink {
    /// Emits the elements up to a time, in order.
    @inlinable
    mutating func release(through time: Timestamp) {
        let newFirst = time.nanosecondsSinceEpoch >> shift
        var (steps, overflow) = newFirst.subtractingReportingOverflow(firstNumber)
        if overflow { steps = .max }
        firstNumber = newFirst
        while count > 0 {
            let place = nextOccupied(from: firstPlace)
            let distance = place >= firstPlace ? place - firstPlace : place - firstPlace + buckets.count
            guard distance < steps else { break }
            emit(through: .distantFuture, from: place)
        }
        // With nothing left, it makes no difference which place is first.
        guard count > 0 else { return }
        firstPlace += Int(steps)
        if firstPlace >= buckets.count { firstPlace -= buckets.count }
        emit(through: time, from: firstPlace)
    }

    /// Puts an element into its bucket.
    @inlinable
    mutating func keep(_ element: Input, _ time: Timestamp) {
        let place = place(of: time)
        let index = firstFree >= 0 ? firstFree : waiting.count
        if index < waiting.count {
            firstFree = waiting[index].next
            waiting[index] = Waiting(time, element)
        } else {
            waiting.append(Waiting(time, element))
        }
        count += 1
        let last = buckets[place].last
        if last < 0 {
            occupied[place >> 6] |= 1 << UInt64(place & 63)
            buckets[place].first = index
        } else if time >= waiting[last].time {
            waiting[last].next = index
        } else if buckets[place].isSorted, insert(index, place) {
            return
        } else {
            waiting[last].next = index
            buckets[place].isSorted = false
        }
        buckets[place].last = index
    }

    /// Puts an element in its place in a bucket that is sorted, behind those of equal time, unless that is too far.
    ///
    /// - Returns: Whether it was near enough.
    @inlinable
    mutating func insert(_ index: Int, _ place: Int) -> Bool {
        let time = waiting[index].time
        var previous = -1
        var next = buckets[place].first
        for _ in 0..<Self.insertionLimit {
            if waiting[next].time > time {
                waiting[index].next = next
                if previous < 0 { buckets[place].first = index } else { waiting[previous].next = index }
                return true
            }
            (previous, next) = (next, waiting[next].next)
        }
        return false
    }

    @inlinable
    @inline(never)
    mutating func sort(_ place: Int) {
        ranks.removeAll(keepingCapacity: true)
        var index = buckets[place].first
        while index >= 0 {
            ranks.append(Rank(waiting[index].time, ranks.count, index))
            index = waiting[index].next
        }
        ranks.sort { $0.time < $1.time || ($0.time == $1.time && $0.order < $1.order) }
        for rank in ranks.reversed() {
            waiting[rank.index].next = index
            index = rank.index
        }
        buckets[place].first = index
        buckets[place].last = ranks[ranks.count - 1].index
        buckets[place].isSorted = true
    }

    /// Emits those of a bucket that are not younger than a time, in order.
    @inlinable
    mutating func emit(through time: Timestamp, from place: Int) {
        if !buckets[place].isSorted {
            guard earliest(in: place) <= time else { return }
            sort(place)
        }
        let first = buckets[place].first
        var index = first
        while index >= 0, waiting[index].time <= time {
            let next = waiting[index].next
            if let element = waiting[index].element { downstream.receive(element, at: waiting[index].time) }
            waiting[index] = Waiting(next: firstFree)
            firstFree = index
            count -= 1
            index = next
        }
        if index < 0 {
            buckets[place] = Bucket()
            occupied[place >> 6] &= ~(1 << UInt64(place & 63))
        } else if index != first {
            buckets[place].first = index
        }
    }

    /// The time of the oldest element of a bucket.
    @inlinable
    func earliest(in place: Int) -> Timestamp {
        var earliest = Timestamp.distantFuture
        forEachTime(in: place) { earliest = min(earliest, $0) }
        return earliest
    }

    @inlinable
    func forEachTime(in place: Int, _ body: (Timestamp) -> Void) {
        var index = buckets[place].first
        while index >= 0 {
            body(waiting[index].time)
            index = waiting[index].next
        }
    }

    /// Emits the oldest elements, as far as the watermark moves in one step.
    @inlinable
    mutating func makeRoom() {
        var place = nextOccupied(from: firstPlace)
        let oldest = earliest(in: place)
        let end = oldest.roundedDown(toNanoseconds: step).shifted(byNanoseconds: step)
        var latest = oldest
        for _ in buckets.indices {
            var isBeyond = false
            forEachTime(in: place) { time in
                if time < end { latest = max(latest, time) } else { isBeyond = true }
            }
            if isBeyond { break }
            place = place + 1 == buckets.count ? 0 : place + 1
        }
        advance(to: latest)
    }
}
