import WeirGroups

/// What merges the outputs of a group by the marks of time among them: it depends on each line, and on their order.
final class SimulatedMerge: PartitionProcessor {
    private var marks: TimeMarks
    private var count: UInt64 = 0
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Lines before this time are late.
    private var frontier = Int64.min
    /// Lines that wait, in the order in which they came.
    private var held: [ArraySlice<UInt8>] = []
    private var taken: [ArraySlice<UInt8>] = []
    private var outputs: [UInt8] = []
    private let onLate: (_ what: String) -> Void

    init(_ sourceCount: Int, _ state: [UInt8]?, onLate: @escaping (_ what: String) -> Void) {
        marks = TimeMarks(sourceCount: sourceCount)
        self.onLate = onLate
        guard let state else { return }
        var rest = state[...]
        func next() -> UInt64 {
            defer { rest = rest.dropFirst(8) }
            return SimulatedBytes.number(rest.prefix(8))
        }
        (count, hash, frontier) = (next(), next(), Int64(bitPattern: next()))
        let heldCount = Int(next())
        held = Self.lines(of: rest.prefix(heldCount * SimulatedProcessor.timedByteCount))
        marks.goOn(with: Array(rest.dropFirst(heldCount * SimulatedProcessor.timedByteCount)))
    }

    func take(_ payload: ArraySlice<UInt8>) { taken += Self.lines(of: payload) }

    func take(_ mark: TimeMark, of source: Int) { marks.add(mark, of: source) }

    func process() {
        for line in taken {
            if Self.time(of: line) < frontier {
                onLate("a line of \(Self.time(of: line)) is late: time is at \(frontier)")
            }
            held.append(line)
        }
        taken.removeAll()
        marks.settle()
        frontier = max(frontier, marks.time ?? .min)
        let due = held.filter { Self.time(of: $0) <= frontier }
        held.removeAll { Self.time(of: $0) <= frontier }
        for line in Self.sorted(due) {
            count += 1
            for byte in line { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            time = Self.time(of: line)
            outputs.append(UInt8(ascii: "M"))
            SimulatedBytes.append(UInt64(Self.time(of: line)), to: &outputs)
            SimulatedBytes.append(count, to: &outputs)
            SimulatedBytes.append(hash, to: &outputs)
            outputs.append(UInt8(ascii: "\n"))
        }
    }

    private(set) var time: Int64?

    var outputByteCount: Int { outputs.count }

    func takeOutputs() -> [UInt8] {
        defer { outputs = [] }
        return outputs
    }

    func save() -> [UInt8] {
        var state: [UInt8] = []
        for number in [count, hash, UInt64(bitPattern: frontier), UInt64(held.count)] {
            SimulatedBytes.append(number, to: &state)
        }
        for line in held { state += line }
        return state + marks.encoded
    }

    /// What is found where all comes at once.
    static func outputs(of parts: [[UInt8]]) -> [UInt8] {
        let merge = SimulatedMerge(1, nil) { _ in }
        for part in parts { merge.take(part[...]) }
        merge.take(TimeMark(time: .max, isIdle: false), of: 0)
        merge.process()
        return merge.takeOutputs()
    }

    // MARK: Lines

    static func lines(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: SimulatedProcessor.timedByteCount).map {
            bytes[$0..<$0 + SimulatedProcessor.timedByteCount]
        }
    }

    private static func time(of line: ArraySlice<UInt8>) -> Int64 {
        Int64(SimulatedBytes.number(line.dropFirst(SimulatedProcessor.timePlace).prefix(8)))
    }

    /// By time; those of the same time are of the same part, and stay in their order.
    private static func sorted(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        lines.enumerated().sorted { (time(of: $0.element), $0.offset) < (time(of: $1.element), $1.offset) }.map(
            \.element
        )
    }
}
