internal import CommonStream
internal import WeirCore

/// The hot paths as loops that are written for them alone: the limits of the ratios.
enum ByHand {
    typealias Handler = @Sendable (StreamEvent) -> Void

    /// A closure in an array, called for each event.
    @inline(never)
    static func call(_ handlers: [Handler], _ events: [StreamEvent], _ count: Int) {
        for index in 0..<count {
            for handler in handlers { handler(events[index]) }
        }
    }

    /// The values above one half, doubled, summed up as they come, and these sums summed up.
    @inline(never)
    static func runningSums(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        var sum = 0.0
        for event in events where event.value > 0.5 {
            sum += event.value * 2
            tally.add(sum)
        }
        return tally
    }

    /// What waits of a key: the times of each A, and of each A that has its B.
    private struct Waiting {
        var starts: [Int64] = []
        var pairs: [Int64] = []
    }

    /// A, then the next B, then the next C, of a key within 10 s.
    @inline(never)
    static func sequences(_ events: [StreamEvent]) -> Tally {
        var tally = Tally()
        var keys = Array(repeating: Waiting(), count: 1000)
        for event in events {
            let (time, key) = (event.timestamp.nanosecondsSinceEpoch, Int(event.key))
            switch event.type {
            case 0: keys[key].starts.append(time)
            case 1:
                for start in keys[key].starts where time - start < 10_000_000_000 { keys[key].pairs.append(start) }
                keys[key].starts.removeAll(keepingCapacity: true)
            case 2:
                for start in keys[key].pairs where time - start < 10_000_000_000 { tally.add(Double(key)) }
                keys[key].pairs.removeAll(keepingCapacity: true)
            default: break
            }
        }
        return tally
    }

    /// An array of places, with an index for each end.
    @inline(never)
    static func ring(_ event: StreamEvent, _ count: Int) -> Tally {
        var tally = Tally()
        var places = Array(repeating: event, count: 1024)
        var (head, tail) = (0, 0)
        for _ in 0..<count {
            guard head - tail < 1024 else { break }
            places[head & 1023] = event
            head += 1
            guard tail < head else { break }
            tally.add(places[tail & 1023].value)
            tail += 1
        }
        return tally
    }

    /// Closures that call one another.
    @inline(never)
    static func chain(_ length: Int, _ count: Int) -> Tally {
        final class Root {
            var value = 0
        }
        let root = Root()
        var last: () -> Int = { root.value }
        for _ in 0..<length {
            let below = last
            last = { below() &+ 1 }
        }
        var tally = Tally()
        for value in 1...count {
            root.value = value
            tally.add(Double(last()))
        }
        return tally
    }

    // MARK: Timers

    /// A binary heap in an array; those of one deadline come in the order of their numbers.
    private struct Timers {
        private var items: [(deadline: Int64, order: UInt64, payload: UInt64)] = []
        private var added: UInt64 = 0

        mutating func add(_ deadline: Int64, _ payload: UInt64) {
            items.append((deadline, added, payload))
            added += 1
            var index = items.count - 1
            while index > 0, isBefore(index, (index - 1) / 2) {
                items.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func pop() -> UInt64? {
            guard let first = items.first, let last = items.popLast() else { return nil }
            guard !items.isEmpty else { return first.payload }
            items[0] = last
            var index = 0
            while 2 * index + 1 < items.count {
                var child = 2 * index + 1
                if child + 1 < items.count, isBefore(child + 1, child) { child += 1 }
                guard isBefore(child, index) else { break }
                items.swapAt(child, index)
                index = child
            }
            return first.payload
        }

        private func isBefore(_ left: Int, _ right: Int) -> Bool {
            (items[left].deadline, items[left].order) < (items[right].deadline, items[right].order)
        }
    }

    /// As many timers as there are at the start, one popped and one added by turns.
    @inline(never)
    static func timers(_ waiting: Int, _ count: Int, deadline: (inout SplitMix64, Int64) -> Int64) -> Tally {
        var timers = Timers()
        var random = SplitMix64(seed: 42)
        for number in 0..<waiting { timers.add(deadline(&random, 0), UInt64(number)) }
        var tally = Tally()
        for index in 0..<count {
            guard let payload = timers.pop() else { break }
            tally.add(Double(payload))
            timers.add(deadline(&random, Int64(index)), UInt64(index))
        }
        return tally
    }

    // MARK: Text

    /// Adds up the values above one half, of lines that are known to have a time, a key and a value after these texts:
    /// the numbers are read digit by digit, and may be off in the last place.
    @inline(never)
    static func sum(of text: [UInt8], from start: Int, to end: Int, prefixes: [String]) -> Tally {
        let prefixes = prefixes.map(\.utf8.count)
        var tally = Tally()
        var at = start
        var checksum: UInt64 = 0
        while at < end {
            at += prefixes[0]
            checksum &+= integer(text, &at)
            at += prefixes[1]
            checksum &+= integer(text, &at)
            at += prefixes[2]
            let value = number(text, &at)
            if value > 0.5 { tally.add(value) }
            while text[at] != UInt8(ascii: "\n") { at += 1 }
            at += 1
        }
        precondition(checksum > 0, "the times and keys cannot all be zero")
        return tally
    }

    @inline(__always)
    private static func integer(_ text: [UInt8], _ at: inout Int) -> UInt64 {
        var value: UInt64 = 0
        while text[at] >= UInt8(ascii: "0"), text[at] <= UInt8(ascii: "9") {
            value = value &* 10 &+ UInt64(text[at] &- UInt8(ascii: "0"))
            at += 1
        }
        return value
    }

    private static let powers: [Double] = (0...30).map { power in (0..<power).reduce(1.0) { value, _ in value * 10 } }

    @inline(__always)
    private static func number(_ text: [UInt8], _ at: inout Int) -> Double {
        var value = integer(text, &at)
        var places = 0
        if text[at] == UInt8(ascii: ".") {
            at += 1
            let first = at
            while text[at] >= UInt8(ascii: "0"), text[at] <= UInt8(ascii: "9") {
                value = value &* 10 &+ UInt64(text[at] &- UInt8(ascii: "0"))
                at += 1
            }
            places = at - first
        }
        if text[at] == UInt8(ascii: "e") {
            // Values below one have negative exponents only.
            at += 2
            places += Int(integer(text, &at))
        }
        return Double(value) / powers[places]
    }
}
