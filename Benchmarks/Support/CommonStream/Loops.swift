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
    }
}
