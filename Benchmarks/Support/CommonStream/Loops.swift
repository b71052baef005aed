internal import WeirCore

extension CommonStream {
    /// Workloads by hand: loops over an array, each written for its work alone, which are the limits of the ratios.
    public enum Loops {
        /// The values above one half, doubled, summed up as they come: how many sums, and the last one.
        @inline(never)
        public static func runningSum(_ events: [StreamEvent]) -> Tally {
            var tally = Tally()
            for event in events where event.value > 0.5 {
                tally.sum += event.value * 2
                tally.count += 1
            }
            return tally
        }

        /// Neighbours whose values differ by more than 0.9: how many pairs, and the sum of their differences.
        @inline(never)
        public static func jumps(_ events: [StreamEvent]) -> Tally {
            var tally = Tally()
            guard var previous = events.first?.value else { return tally }
            for event in events.dropFirst() {
                let difference = (event.value - previous).magnitude
                if difference > 0.9 { tally.add(difference) }
                previous = event.value
            }
            return tally
        }

        /// The mean of each 1,000 events: how many, and their sum.
        @inline(never)
        public static func meansByCount(_ events: [StreamEvent]) -> Tally {
            var tally = Tally()
            var sum = 0.0
            var count = 0
            for event in events {
                sum += event.value
                count += 1
                if count == 1000 {
                    tally.add(sum / 1000)
                    (sum, count) = (0, 0)
                }
            }
            return tally
        }

        /// The greatest value of 10 s, every second, by the greatest of each second: how many windows, and the sum.
        @inline(never)
        public static func hoppingMaxima(_ events: [StreamEvent]) -> Tally {
            var tally = Tally()
            var seconds: [Double] = []
            for event in events {
                let second = Int(event.timestamp.nanosecondsSinceEpoch / 1_000_000_000)
                if second == seconds.count { seconds.append(event.value) }
                seconds[second] = max(seconds[second], event.value)
            }
            for start in -9..<seconds.count {
                tally.add(seconds[max(0, start)..<min(seconds.count, start + 10)].max() ?? 0)
            }
            return tally
        }

        /// The running sum of each key, in an array, since keys are small numbers: how many, and the sum of all.
        @inline(never)
        public static func sumsByKey(_ events: [StreamEvent], keyCount: Int) -> Tally {
            var tally = Tally()
            var sums = Array(repeating: 0.0, count: keyCount)
            for event in events {
                sums[Int(event.key)] += event.value
                tally.sum += sums[Int(event.key)]
            }
            tally.count = events.count
            return tally
        }
    }
}
