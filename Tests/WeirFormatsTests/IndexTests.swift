import Testing
import WeirCore
import WeirRecords
import WeirTesting

@testable import WeirFormats

/// What the structural index finds, beside the decoders without it.
@Suite struct IndexTests {
    /// CSV with a kernel, or without an index.
    private struct CSV: Format {
        let name = "csv"
        let summary = ""
        let kernel: ScanKernel?

        func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
            CSVDecoder(for: schema, limits: limits, kernel: kernel)
        }
    }

    /// Compares each kernel with a decoder without an index, on a whole input and on pieces of it.
    ///
    /// - Returns: What differs; `nil` when nothing does.
    private static func difference(
        _ bytes: [UInt8],
        _ fields: [RecordSchema.Field],
        _ generator: inout SeededGenerator,
        _ format: (ScanKernel?) -> some Format
    ) -> String? {
        let limit = Int.random(in: 0..<3, using: &generator) > 0 ? 100_000 : Int.random(in: 16..<60, using: &generator)
        let expected = Transcript(bytes, format(nil), fields: fields, limit: limit)
        for kernel in ScanKernel.available {
            let whole = Transcript(bytes, format(kernel), fields: fields, limit: limit)
            let longest = Int.random(in: 1..<(Bool.random(using: &generator) ? 8 : 500), using: &generator)
            let capacity = Int.random(in: 1..<20, using: &generator)
            let cut = Transcript(bytes, format(kernel), fields: fields, limit: limit, capacity: capacity) {
                Int.random(in: 1...longest, using: &generator)
            }
            if whole != expected || !whole.violations.isEmpty || cut != expected {
                return """
                    \(kernel), limit \(limit), pieces up to \(longest), capacity \(capacity)
                    \(String(decoding: bytes, as: UTF8.self).debugDescription)
                    whole \(whole)
                    cut \(cut)
                    expected \(expected)
                    """
            }
        }
        return nil
    }

    private static func mutate(_ bytes: inout [UInt8], _ special: [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1..<5, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = special.randomElement(using: &generator) ?? 0
            case 1: bytes.insert(special.randomElement(using: &generator) ?? 0, at: place)
            default: bytes.remove(at: place)
            }
        }
    }

    /// Some hundred rows, with all that CSV allows and now and then something that it does not.
    private static func csv(_ generator: inout SeededGenerator) -> [UInt8] {
        let end: [UInt8] = Bool.random(using: &generator) ? [0x0A] : [0x0D, 0x0A]
        let all = ["1", "-2.5", "word", " 7 ", "", "x\ry", "é", "\"q\"", "\"\"", "\"a,b\"", "\"d\"\"q\"", "\"x\r\ny\""]
        let pieces = all.prefix(Int.random(in: 3...all.count, using: &generator))
        var bytes = Array("a,b,c".utf8) + end
        for _ in 0..<Int.random(in: 0..<60, using: &generator) {
            let isOdd = Int.random(in: 0..<30, using: &generator) == 0
            let count = isOdd ? Int.random(in: 0..<6, using: &generator) : 3
            let row = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
            bytes += Array(row.joined(separator: ",").utf8) + end
        }
        if Bool.random(using: &generator) {
            mutate(&bytes, [0x22, 0x2C, 0x0A, 0x0D, 0x41, 0xFF, 0x00, 0xC3], &generator)
        }
        return bytes
    }

    @Test func csvIsTheSameWithAndWithoutAnIndex() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let schemas = [["a", "b", "c"], ["c"], ["b", "b"], []].map { $0.map { RecordSchema.Field($0) } }
        let optional = [RecordSchema.Field("z", isRequired: false), RecordSchema.Field("b")]
        for round in 0..<3_000 {
            let bytes = Self.csv(&generator)
            let fields = (schemas + [optional]).randomElement(using: &generator) ?? []
            if let difference = Self.difference(bytes, fields, &generator, { CSV(kernel: $0) }) {
                Issue.record("seed \(seed), round \(round)\n\(difference)")
                return
            }
        }
    }

    @Test func oneColumnAndManyAreRead() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let one = Array(("a\n" + String(repeating: "1\n\n2\r\n\"\"\n", count: 100)).utf8)
            let names = (0..<3000).map { "c\($0)" }
            let many = Array((names + ["\n1"] + names.dropFirst(2) + ["\n"]).joined(separator: ",").utf8)
            for (bytes, name) in [(one, "a"), (many, "c7")] {
                let difference = Self.difference(bytes, [RecordSchema.Field(name)], &generator) { CSV(kernel: $0) }
                #expect(difference == nil, "seed \(seed)")
            }
        }
    }
}
