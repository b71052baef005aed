internal import CommonStream
internal import WeirCore

/// More workloads by hand beside ``CommonStream/Loops``: loops over the array, and the references for what has none.
enum Loops {
    @inline(never)
    static func meansByTime(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        var sum = 0.0
        var count = 0
        var end = Int64(1_000_000_000)
        for event in events {
            if event.timestamp.nanosecondsSinceEpoch >= end {
                tally.add(sum / Double(count))
                (sum, count) = (0, 0)
                end += 1_000_000_000
            }
            sum += event.value
            count += 1
        }
        tally.add(sum / Double(count))
        return tally
    }

    @inline(never)
    static func sumsByKeyInDictionary(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        var sums: [UInt32: Double] = [:]
        for event in events {
            sums[event.key, default: 0] += event.value
            tally.sum += sums[event.key] ?? 0
        }
        tally.count = events.count
        return tally
    }

    /// The sums of the keys without knowing that keys are small: a hash table, with room for twice as many keys.
    @inline(never)
    static func sumsByKeyHashed(_ events: [StreamEvent], keyCount: Int) -> Tally {
        var tally = Tally()
        let capacity = 1 << (Int.bitWidth - (2 * keyCount - 1).leadingZeroBitCount)
        var places = Array(repeating: (key: UInt32.max, sum: 0.0), count: capacity)
        for event in events {
            var place = Int((UInt64(event.key) &* 0x9E37_79B9_7F4A_7C15) >> 32) & (capacity - 1)
            while places[place].key != event.key, places[place].key != .max { place = (place + 1) & (capacity - 1) }
            places[place].key = event.key
            places[place].sum += event.value
            tally.sum += places[place].sum
        }
        tally.count = events.count
        return tally
    }

    /// The greatest of the last `length` values, by a deque that keeps those which may still be it.
    @inline(never)
    static func slidingMaxima(_ events: [StreamEvent], _ length: Int) -> Tally {
        var tally = Tally()
        var deque: [(index: Int, value: Double)] = []
        var first = 0
        for (index, event) in events.enumerated() {
            while deque.count > first, deque[deque.count - 1].value <= event.value { deque.removeLast() }
            deque.append((index, event.value))
            if deque[first].index <= index - length { first += 1 }
            if first > 4096, first > deque.count / 2 {
                deque.removeFirst(first)
                first = 0
            }
            tally.add(deque[first].value)
        }
        return tally
    }

    @inline(never)
    static func sum(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        for event in events { tally.add(event.value) }
        return tally
    }

    /// The last before each pause of 20 ms.
    @inline(never)
    static func debounced(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        var held: StreamEvent?
        for event in events {
            if let held, held.timestamp.nanosecondsSinceEpoch + 20_000_000 <= event.timestamp.nanosecondsSinceEpoch {
                tally.add(held.value)
            }
            held = event
        }
        if let held { tally.add(held.value) }
        return tally
    }

    /// The pairs of an event of the first stream and one of the second with its key, within `milliseconds`.
    @inline(never)
    static func pairs(_ events: [StreamEvent], isFirst: (Int) -> Bool, within milliseconds: Int) -> Tally {
        var tally = Tally()
        var byKey = Array(repeating: (firsts: [Int](), seconds: [Int]()), count: 1000)
        for (index, event) in events.enumerated() {
            let key = Int(event.key)
            let others = isFirst(index) ? byKey[key].seconds : byKey[key].firsts
            for other in others.reversed() {
                if index - other > milliseconds { break }
                tally.add(event.value * events[other].value)
            }
            if isFirst(index) { byKey[key].firsts.append(index) } else { byKey[key].seconds.append(index) }
        }
        return tally
    }

    /// Puts events that are up to 100 ms late in order, in a table of the milliseconds, which are all different.
    @inline(never)
    static func ordered(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        var places = Array(repeating: 0.0, count: 256)
        var next = 0
        for event in events {
            let index = Int(event.timestamp.nanosecondsSinceEpoch / 1_000_000)
            places[index & 255] = event.value
            while next <= index - 100 {
                tally.addInOrder(places[next & 255])
                next += 1
            }
        }
        while next < events.count {
            tally.addInOrder(places[next & 255])
            next += 1
        }
        return tally
    }
}

extension Tally {
    /// Counts a value weighted by its place.
    mutating func addInOrder(_ value: Double) {
        count += 1
        sum += value * Double(count & 1023)
    }
}
