internal import WeirCore

// The texts as plain lists: places and neighbours follow from them.
extension SymbolTableState {
    /// What a checkpoint has of a table.
    struct Saved {
        var names: [String] = []
        var generations: [UInt32] = []
        var lastUses: [Int64] = []
        var lastAdvances: [UInt64] = []
        /// From the one that came first to the one that came last; empty where nothing is forgotten.
        var live: [Int] = []
        var expired: [Int] = []
        var free: [Int] = []
        var clock = Int64.min
        var advances: UInt64 = 0

        mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
            try state.exchange(&names)
            try state.exchange(&generations)
            try state.exchange(&lastUses)
            try state.exchange(&lastAdvances)
            try state.exchange(&live)
            try state.exchange(&expired)
            try state.exchange(&free)
            try state.exchange(&clock)
            try state.exchange(&advances)
        }

        /// Whether each text is in at most one list, and each list has texts that there are.
        var isConsistent: Bool {
            let count = names.count
            guard generations.count == count, lastUses.count == count, lastAdvances.count == count,
                count <= Int(Int32.max)
            else { return false }
            var isListed = [Bool](repeating: false, count: count)
            for index in live + expired + free {
                guard isListed.indices.contains(index), !isListed[index] else { return false }
                isListed[index] = true
            }
            return true
        }
    }
}
