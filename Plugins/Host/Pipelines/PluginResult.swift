/// What a plugin made of a batch, and of which records.
struct PluginResult: Sendable {
    /// The matches.
    var matches: [UInt8] = []

    /// Up to where the matches go that each record brought, for the records that brought some, in the order of records.
    var marks: [(record: Int32, end: Int)] = []

    /// What was refused, in the order of records.
    var rejections: [(record: Int32, line: RejectedInput)] = []

    /// Maps the records of this batch to those of a larger batch and their inputs.
    ///
    /// - Parameters:
    ///   - places: The record's place in the larger batch, by its index in this one.
    ///   - inputs: The record's input, by its index; empty where there is one input.
    mutating func move(to places: [Int32], _ inputs: [String]) {
        for index in marks.indices { marks[index].record = places[Int(marks[index].record)] }
        for index in rejections.indices {
            let record = Int(rejections[index].record)
            rejections[index].record = places[record]
            if !inputs.isEmpty { rejections[index].line.input = inputs[record] }
        }
    }

    /// Merges the results of several plugins and threads in the order of the batch's records; of one record, in the
    /// order of the plugins.
    static func merged(_ all: [PluginResult]) -> (matches: [UInt8], rejections: [RejectedInput]) {
        var matches: [UInt8] = []
        matches.reserveCapacity(all.reduce(0) { $0 + $1.matches.count })
        // How far each was taken.
        var next = all.map { _ in (mark: 0, start: 0) }
        while true {
            var first: (index: Int, record: Int32, end: Int)?
            for (index, result) in all.enumerated() where next[index].mark < result.marks.count {
                let mark = result.marks[next[index].mark]
                if let found = first, found.record <= mark.record { continue }
                first = (index, mark.record, mark.end)
            }
            guard let first else { break }
            matches += all[first.index].matches[next[first.index].start..<first.end]
            next[first.index] = (next[first.index].mark + 1, first.end)
        }
        // Sorting is stable.
        let rejections = all.flatMap(\.rejections).sorted { $0.record < $1.record }
        return (
            matches,
            rejections.map { record, line in
                var line = line
                line.position = Int(record)
                return line
            }
        )
    }
}
