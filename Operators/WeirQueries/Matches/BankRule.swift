internal import WeirCore
internal import WeirRecords

/// A rule of a bank, with its state.
struct BankRule {
    var runner: RuleRunner<[UInt8]>
    let conditions: [Condition]
    /// Where its events are kept.
    var store: EventStore
    /// The number of the fields of the bank in the store; `nil` where it has too many.
    var shape: UInt8?
    /// Whether each event has one key at most, of one field or of none, which is the same for all steps.
    let hasSimpleKey: Bool
    /// The field of that key.
    let keyField: Int?

    init(_ plan: QueryPlan, _ conditions: [Condition], limit: Int, _ store: EventStore, _ shape: UInt8?) {
        runner = RuleRunner(plan, limit: limit)
        self.conditions = conditions
        self.store = store
        self.shape = shape
        hasSimpleKey = runner.keySets.sets.count == 1 && runner.keySets.sets[0].count <= 1
        keyField = hasSimpleKey ? runner.keySets.sets[0].first?.field : nil
    }

    /// Takes the events of a block.
    ///
    /// - Parameters:
    ///   - block: The events.
    ///   - bits: For each step the events that satisfy it.
    ///   - batch: The batch.
    ///   - column: The keys of the field that is the key.
    ///   - shared: By the record of the block the events that other rules have kept; empty where rules share none.
    ///   - found: Matches are appended to it.
    /// - Returns: How many combinations of keys were left out.
    mutating func receive(
        _ block: EventBlock,
        _ bits: [RowBits],
        in batch: borrowing RecordBatch,
        _ column: inout KeyColumn?,
        shared: inout [UInt32],
        _ found: inout FoundMatches
    ) -> UInt64 {
        // Out of its place, so that the loop works on a variable.
        if var engine = runner.sequence.take() {
            defer { runner.sequence = engine }
            return give(block, bits, to: &engine, in: batch, &column, &shared, &found)
        }
        guard var engine = runner.sample.take() else { return 0 }
        defer { runner.sample = engine }
        return give(block, bits, to: &engine, in: batch, &column, &shared, &found)
    }

    private func give<Engine: EventEngine>(
        _ block: EventBlock,
        _ bits: [RowBits],
        to engine: inout Engine,
        in batch: borrowing RecordBatch,
        _ column: inout KeyColumn?,
        _ shared: inout [UInt32],
        _ found: inout FoundMatches
    ) -> UInt64 {
        let (store, shape) = (store, shape)
        let hasNoKey = hasSimpleKey && keyField == nil
        var leftOut: UInt64 = 0
        var satisfied = StepBits()
        var words = [UInt64](repeating: 0, count: bits.count)
        for word in 0..<8 where block.wanted[word] != 0 {
            for step in bits.indices { words[step] = bits[step][word] }
            var rest = block.wanted[word]
            while rest != 0 {
                let bit = UInt64(rest.trailingZeroBitCount)
                let row = block.start + word << 6 + Int(bit)
                rest &= rest - 1
                satisfied.set(words, bit)
                var event = shared.isEmpty ? FoundMatches.missing : shared[row - block.start]
                let isNew = event == FoundMatches.missing
                let time = block.times[row].nanosecondsSinceEpoch
                found.row = row
                engine.begin(at: time, found: &found)
                if let key = hasNoKey ? EventKey() : column?.key(at: row) {
                    engine.receive(
                        satisfied,
                        at: time,
                        key: key,
                        event: &event,
                        keep: { store.keep($0, row, of: block, in: batch, shape: shape) },
                        found: &found
                    )
                } else {
                    let keys = keys(of: row, block.reader, batch, &column, &leftOut)
                    for (key, steps) in runner.keySets.steps(of: keys, satisfied) {
                        engine.receive(
                            steps,
                            at: time,
                            key: key,
                            event: &event,
                            keep: { store.keep($0, row, of: block, in: batch, shape: shape) },
                            found: &found
                        )
                    }
                }
                if !shared.isEmpty, isNew, event != FoundMatches.missing {
                    // Until the end of the block it has one more holder.
                    store.retain(event)
                    shared[row - block.start] = event
                }
            }
        }
        return leftOut
    }

    /// The keys of an event, for each of the different keys of the rule.
    private func keys(
        of row: Int,
        _ reader: RecordValues,
        _ batch: borrowing RecordBatch,
        _ column: inout KeyColumn?,
        _ leftOut: inout UInt64
    ) -> [[EventKey]] {
        var keys: [[EventKey]] = []
        for set in runner.keySets.sets {
            let all = EventKey.keys(set) { reader.value(of: $0, at: row, in: batch) }
            leftOut += UInt64(all.leftOut)
            keys.append(all.keys)
        }
        if let keyField, keys[0].count == 1, !reader.value(of: keyField, at: row, in: batch).isMissing {
            column?.learn(keys[0][0], at: row)
        }
        return keys
    }

    /// Lets go of the events that are no longer kept.
    mutating func releaseEvents() {
        let store = store
        runner.takeReleased { store.release($0) }
    }
}

/// Events of a batch that some steps of a rule want.
struct EventBlock {
    /// The first record.
    let start: Int
    /// Those that are wanted, counted from it.
    let wanted: RowBits
    /// The times of all records of the batch.
    let times: [Timestamp]
    let reader: RecordValues
    let objects: RecordObjects
    /// Whether the terms of pipes want fields of kept events.
    let keepsFields: Bool
}
