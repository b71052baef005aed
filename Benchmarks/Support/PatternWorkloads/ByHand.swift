internal import CommonStream
internal import WeirCore

/// The same patterns, each with a matcher written for it alone: arrays of partial matches for each key.
enum ByHand {
    private struct Pair {
        var first: Int64
        var second: Int64
    }

    /// The partial matches of a key.
    private struct Group {
        var starts: [Int64] = []
        var pairs: [Pair] = []
    }

    private static func milliseconds(_ event: StreamEvent) -> Int64 {
        event.timestamp.nanosecondsSinceEpoch / 1_000_000
    }

    private static func add(_ tally: inout MatchTally, _ first: Int64, _ middle: Int64, _ last: Int64) {
        tally.count += 1
        tally.checksum &+= UInt64(bitPattern: 31 &* first &+ 17 &* middle &+ last)
    }

    @inline(never)
    static func w6(_ events: [StreamEvent]) -> MatchTally {
        var groups = Array(repeating: Group(), count: 1000)
        var tally = MatchTally()
        for event in events {
            let (time, key) = (milliseconds(event), Int(event.key))
            switch event.type {
            case Sequences.a:
                groups[key].starts.append(time)
            case Sequences.b:
                for start in groups[key].starts where time - start < 10_000 {
                    groups[key].pairs.append(Pair(first: start, second: time))
                }
                groups[key].starts.removeAll(keepingCapacity: true)
            case Sequences.c:
                for pair in groups[key].pairs where time - pair.first < 10_000 {
                    add(&tally, pair.first, pair.second, time)
                }
                groups[key].pairs.removeAll(keepingCapacity: true)
            default:
                break
            }
        }
        return tally
    }

    @inline(never)
    static func w7(_ events: [StreamEvent]) -> MatchTally {
        var groups = Array(repeating: Group(), count: 1000)
        var tally = MatchTally()
        for event in events {
            let (time, key) = (milliseconds(event), Int(event.key))
            switch event.type {
            case Sequences.a:
                groups[key].starts.removeAll { time - $0 >= 2000 }
                groups[key].starts.append(time)
            case Sequences.b:
                groups[key].pairs.removeAll { time - $0.first >= 2000 }
                for start in groups[key].starts where time - start < 2000 {
                    groups[key].pairs.append(Pair(first: start, second: time))
                }
            case Sequences.c:
                for pair in groups[key].pairs where time - pair.first < 2000 { tally.count += 1 }
            default:
                break
            }
        }
        return tally
    }

    @inline(never)
    static func w7g(_ events: [StreamEvent]) -> MatchTally {
        var (starts, pairs): ([Int64], [Pair]) = ([], [])
        var tally = MatchTally()
        for event in events where event.value > 0.99 {
            let time = milliseconds(event)
            starts.removeAll { time - $0 >= 1000 }
            pairs.removeAll { time - $0.first >= 1000 }
            tally.count += pairs.count
            for start in starts { pairs.append(Pair(first: start, second: time)) }
            starts.append(time)
        }
        return tally
    }

    /// An A with the B that came after it.
    private struct Loop {
        var first: Int64
        var middle: [Int64] = []
        // How many of the B have been followed by a C.
        var emitted = 0
    }

    @inline(never)
    static func w8(_ events: [StreamEvent]) -> MatchTally {
        var groups: [[Loop]] = Array(repeating: [], count: 1000)
        var tally = MatchTally()
        for event in events {
            let (time, key) = (milliseconds(event), Int(event.key))
            switch event.type {
            case Sequences.a:
                groups[key].removeAll { time - $0.first >= 5000 }
                groups[key].append(Loop(first: time))
            case Sequences.b:
                for index in groups[key].indices { groups[key][index].middle.append(time) }
            case Sequences.c:
                for index in groups[key].indices where time - groups[key][index].first < 5000 {
                    let loop = groups[key][index]
                    var sum: Int64 = 0
                    for (position, middle) in loop.middle.enumerated() {
                        sum += middle
                        if position >= loop.emitted { add(&tally, loop.first, sum, time) }
                    }
                    groups[key][index].emitted = loop.middle.count
                }
            default:
                break
            }
        }
        return tally
    }

    @inline(never)
    static func w9(_ events: [StreamEvent]) -> MatchTally {
        var groups: [[Int64]] = Array(repeating: [], count: 1000)
        var tally = MatchTally()
        for event in events {
            let (time, key) = (milliseconds(event), Int(event.key))
            switch event.type {
            case Sequences.a:
                groups[key].append(time)
            case Sequences.c:
                for start in groups[key] where time - start < 5000 { add(&tally, start, 0, time) }
                groups[key].removeAll(keepingCapacity: true)
            case Sequences.d:
                groups[key].removeAll(keepingCapacity: true)
            default:
                break
            }
        }
        return tally
    }

    /// Keeps for each A how many B came after it.
    @inline(never)
    static func everyPossibility(_ events: [StreamEvent], window: Int64) -> MatchTally {
        var starts: [(time: Int64, pairs: Int)] = []
        var oldest = 0
        var tally = MatchTally()
        for event in events {
            let time = milliseconds(event)
            switch event.type {
            case Sequences.a:
                starts.append((time, 0))
            case Sequences.b:
                while oldest < starts.count, time - starts[oldest].time >= window { oldest += 1 }
                for index in oldest..<starts.count { starts[index].pairs += 1 }
            case Sequences.c:
                while oldest < starts.count, time - starts[oldest].time >= window { oldest += 1 }
                for index in oldest..<starts.count { tally.count += starts[index].pairs }
            default:
                break
            }
        }
        return tally
    }

    /// Keeps how many pairs of an A and a B there are in the window, and takes off those of each A that leaves it.
    @inline(never)
    static func everyPossibilityInCounts(_ events: [StreamEvent], window: Int64) -> MatchTally {
        var starts: [(time: Int64, before: Int)] = []
        var (oldest, seconds, pairs) = (0, 0, 0)
        var tally = MatchTally()
        for event in events {
            let time = milliseconds(event)
            while oldest < starts.count, time - starts[oldest].time >= window {
                pairs -= seconds - starts[oldest].before
                oldest += 1
            }
            switch event.type {
            case Sequences.a: starts.append((time, seconds))
            case Sequences.b:
                seconds += 1
                pairs += starts.count - oldest
            case Sequences.c: tally.count += pairs
            default: break
            }
        }
        return tally
    }

    /// A thousand patterns as one loop: for each key, an A and then the next B, within 10 s.
    @inline(never)
    static func rules(_ events: [StreamEvent]) -> MatchTally {
        var groups: [[Int64]] = Array(repeating: [], count: 1000)
        var tally = MatchTally()
        for event in events {
            let (time, key) = (milliseconds(event), Int(event.key))
            switch event.type {
            case Sequences.a:
                groups[key].append(time)
            case Sequences.b:
                for start in groups[key] where time - start < 10_000 { add(&tally, start, 0, time) }
                groups[key].removeAll(keepingCapacity: true)
            default:
                break
            }
        }
        return tally
    }

    /// A thousand patterns as one loop: for each thousandth of the values, a value there and then the next one.
    @inline(never)
    static func bands(_ events: [StreamEvent]) -> MatchTally {
        var starts: [Int64?] = Array(repeating: nil, count: 1000)
        var tally = MatchTally()
        for event in events {
            let time = milliseconds(event)
            var band = Int(event.value * 1000)
            // The bounds are the nearest numbers to the thousandths, so the product may be off by one.
            if event.value < Double(band) / 1000 {
                band -= 1
            } else if event.value >= Double(band + 1) / 1000 {
                band += 1
            }
            if let start = starts[band], time - start < 10_000 { add(&tally, start, 0, time) }
            starts[band] = time
        }
        return tally
    }

    /// A thousand patterns as one loop: a value above each threshold, and then the next one below its counterpart.
    @inline(never)
    static func thresholds(_ events: [StreamEvent]) -> MatchTally {
        var groups: [[Int64]] = Array(repeating: [], count: 1000)
        var tally = MatchTally()
        for event in events where event.value > 0.9899 || event.value < 0.0101 {
            let time = milliseconds(event)
            for number in 0..<1000 {
                let margin = Double(number + 1) / 100_000
                if event.value > 1 - margin { groups[number].append(time) }
                guard event.value < margin else { continue }
                for start in groups[number] where time - start < 10_000 { add(&tally, start, 0, time) }
                groups[number].removeAll(keepingCapacity: true)
            }
        }
        return tally
    }
}
