import Foundation
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

/// Random arrays of objects, whole and damaged.
@Suite struct JSONArrayPropertyTests {
    private static let fields = ["a", "b.c", "id"].map { RecordSchema.Field($0, isRequired: false) }

    /// How elements are laid out.
    private enum Layout: CaseIterable {
        case oneLine, lineEach, leadingCommas, indented, random
    }

    private static let values = [
        "1", "-2.5", "\"x\"", "\"]}{[,\"", "\"\\\"\\\\\"", "null", "[1,{\"a\":2}]", "{\"c\":[]}", "{\"c\":\"é\"}",
        "[{\"id\":7},{\"id\":8}]", "true",
    ]

    /// Some objects, each with its number.
    private static func objects(_ generator: inout SeededGenerator) -> [[(String, String)]] {
        (0..<Int.random(in: 1..<8, using: &generator)).map { number in
            let names = ["a", "b", "d"].shuffled(using: &generator).prefix(Int.random(in: 0..<4, using: &generator))
            return [("id", "\(number)")] + names.map { ($0, values.randomElement(using: &generator) ?? "1") }
        }
    }

    /// The text of an object.
    private static func text(_ object: [(String, String)], _ layout: Layout, _ generator: inout SeededGenerator)
        -> String
    {
        let separator = layout == .indented ? ",\n    " : ","
        let members = object.map { name, value in
            var value = value
            if layout == .indented {
                value = value.replacing("{\"id\":7}", with: "\n      {\n        \"id\": 7\n      }")
            }
            return "\"\(name)\":\(layout == .indented ? " " : "")\(value)"
        }
        let inner = members.joined(separator: separator)
        switch layout {
        case .indented: return "{\n    \(inner)\n  }"
        case .random:
            return "{" + inner.replacing(",\"a\"", with: "\(blank(&generator)),\n\"a\"") + blank(&generator) + "}"
        default: return "{\(inner)}"
        }
    }

    private static func blank(_ generator: inout SeededGenerator) -> String {
        ["", " ", "\n", "\r\n", "\t"].randomElement(using: &generator) ?? ""
    }

    /// The text of an array of the texts of objects.
    private static func array(_ objects: [String], _ layout: Layout, _ generator: inout SeededGenerator) -> String {
        switch layout {
        case .oneLine: return "[" + objects.joined(separator: ", ") + "]\n"
        case .lineEach: return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
        case .leadingCommas: return "[{}\n" + objects.map { ",\($0)\n" }.joined() + "]\n"
        case .indented: return "[\n  " + objects.joined(separator: ",\n  ") + "\n]\n"
        case .random:
            var text = blank(&generator) + "[" + blank(&generator)
            for (index, object) in objects.enumerated() {
                text += (index > 0 ? blank(&generator) + "," + blank(&generator) : "") + object
            }
            return text + blank(&generator) + "]" + blank(&generator)
        }
    }

    private static func mutate(_ bytes: inout [UInt8], in range: Range<Int>, _ generator: inout SeededGenerator) {
        let special = Array("\"\\{}[]:,0-+.eEt\t\r ".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        let place = Int.random(in: range, using: &generator)
        let byte = special.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        default: bytes.remove(at: place)
        }
    }

    /// Reads a text whole and in pieces; the same has to come out.
    private static func read(_ bytes: [UInt8], _ generator: inout SeededGenerator, limit: Int = 1 << 20) -> Transcript?
    {
        let whole = Transcript(bytes, JSONFormat(), fields: fields, limit: limit)
        let longest = Int.random(in: 1..<60, using: &generator)
        let capacity = Int.random(in: 1..<5, using: &generator)
        let cut = Transcript(bytes, JSONFormat(), fields: fields, limit: limit, capacity: capacity) {
            Int.random(in: 1...longest, using: &generator)
        }
        if cut == whole, whole.violations.isEmpty { return whole }
        Issue.record("pieces up to \(longest), capacity \(capacity)\n\(whole)\n\(cut)")
        return nil
    }

    /// Random objects read as an array, however it is laid out and cut, are those that lines have.
    @Test func anArrayHasTheRecordsOfLines() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<3000 {
            let objects = Self.objects(&generator)
            let layout = Layout.allCases.randomElement(using: &generator) ?? .random
            let texts = objects.map { Self.text($0, layout, &generator) }
            let array = Self.array(texts, layout, &generator)
            let plain = objects.map { Self.text($0, .oneLine, &generator) }.joined(separator: "\n")
            let lines = Transcript(Array(plain.utf8), JSONLinesFormat(), fields: Self.fields)
            let found = Self.read(Array(array.utf8), &generator)
            var records = found?.records.map(\.fields) ?? []
            if layout == .leadingCommas { records.removeFirst() }
            // Blanks inside of values stay as they are.
            func squeezed(_ records: [[String?]]) -> [[String?]] {
                records.map { $0.map { $0?.filter { !$0.isWhitespace } } }
            }
            guard found?.rejections.isEmpty == true, squeezed(records) == squeezed(lines.records.map(\.fields)) else {
                Issue.record("seed \(seed), round \(round): \(array)\n\(String(describing: found))\n\(lines)")
                return
            }
        }
    }

    /// Damage of any kind: the cuts do not matter, nothing stands still, and every byte that counts is read or rejected.
    @Test func damagedArraysAreReadTheSameHoweverTheyAreCut() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<20_000 {
            let layout = Layout.allCases.randomElement(using: &generator) ?? .random
            let texts = Self.objects(&generator).map { Self.text($0, layout, &generator) }
            var bytes = Array(Self.array(texts, layout, &generator).utf8)
            for _ in 0..<Int.random(in: 1..<4, using: &generator) where !bytes.isEmpty {
                Self.mutate(&bytes, in: bytes.indices, &generator)
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            }
            if Int.random(in: 0..<8, using: &generator) == 0 { bytes.removeFirst() }
            let limit = Bool.random(using: &generator) ? 1000 : Int.random(in: 16..<60, using: &generator)
            guard Self.read(bytes, &generator, limit: limit) != nil else {
                let text = String(decoding: bytes, as: UTF8.self)
                Issue.record("seed \(seed), round \(round), limit \(limit): \(text.debugDescription)")
                return
            }
        }
    }

    /// Whether a brace fell into the indentation of a line of an object: by its place, it begins an element.
    private static func seemsToHoldAnElement(_ text: [UInt8]) -> Bool {
        text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropFirst().contains { line in
            line.prefix(3).drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
                .first == UInt8(ascii: "{")
        }
    }

    /// One flaw inside of an object, whatever it is, costs no other element, where each begins a line.
    ///
    /// Left out is a flaw that looks like the start of an element.
    @Test func aFlawCostsNoOtherElement() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var flawedCount = 0
        for round in 0..<10_000 {
            let layout = [Layout.lineEach, .leadingCommas, .indented].randomElement(using: &generator) ?? .lineEach
            var texts = Self.objects(&generator).map { Array(Self.text($0, layout, &generator).utf8) }
            let flawed = Int.random(in: 0..<texts.count, using: &generator)
            let inner = 1..<texts[flawed].count - 1
            Self.mutate(&texts[flawed], in: inner, &generator)
            if Self.seemsToHoldAnElement(texts[flawed]) { continue }
            // Bytes that are no UTF-8 are not for strings.
            let marks = texts.indices.map { "\u{1}\($0)\u{1}" }
            let frame = Self.array(marks, layout, &generator)
            var bytes: [UInt8] = []
            for (index, part) in frame.split(separator: "\u{1}", omittingEmptySubsequences: false).enumerated() {
                bytes += index % 2 == 1 ? texts[index / 2] : Array(part.utf8)
            }
            let found = Self.read(bytes, &generator)
            let numbers = found?.records.compactMap { $0.fields[2].flatMap { Int($0) } } ?? []
            flawedCount += found?.rejections.isEmpty == false ? 1 : 0
            guard Set(texts.indices.filter { $0 != flawed }).isSubset(of: numbers) else {
                let text = String(decoding: bytes, as: UTF8.self)
                Issue.record("seed \(seed), round \(round): \(text)\n\(String(describing: found))")
                return
            }
        }
        #expect(flawedCount > 3000)
    }

    /// Nothing is rejected exactly where others take the array.
    @Test func othersTakeWhatIsTaken() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var counts: [String] = []
        var documents: [[UInt8]] = []
        for round in 0..<6000 {
            let layout = Layout.allCases.randomElement(using: &generator) ?? .random
            let texts = Self.objects(&generator).map { Self.text($0, layout, &generator) }
            var bytes = Array(Self.array(texts, layout, &generator).utf8)
            for _ in 0..<Int.random(in: 0..<3, using: &generator) where !bytes.isEmpty {
                Self.mutate(&bytes, in: bytes.indices, &generator)
            }
            // Another start is a series of objects, or of lines.
            guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") else { continue }
            let found = Transcript(bytes, JSONFormat(), fields: Self.fields)
            let theirs = ReferenceJSON.count(ofObjectsIn: bytes)
            let ours = found.rejections.isEmpty ? found.records.count : nil
            guard ours == theirs else {
                let text = String(decoding: bytes, as: UTF8.self).debugDescription
                Issue.record("seed \(seed), round \(round): \(text)\n\(found)\n\(String(describing: theirs))")
                return
            }
            documents.append(bytes)
            counts.append(ours.map(String.init) ?? "-")
        }
        #expect(counts.count { $0 == "-" } > 1000 && counts.count { $0 != "-" } > 1000)
        guard let theirs = try Self.python(documents) else { return }
        for (index, document) in documents.enumerated() where theirs[index] != counts[index] {
            Issue.record(
                "seed \(seed): \(String(decoding: document, as: UTF8.self).debugDescription), \(theirs[index])"
            )
            return
        }
    }

    /// How many objects Python finds in each document, or `-`; `nil` without Python.
    private static func python(_ documents: [[UInt8]]) throws -> [String]? {
        let script = """
            import json, sys
            def refuse(word): raise ValueError(word)
            for line in open(sys.argv[1]):
                try:
                    value = json.loads(bytes.fromhex(line).decode('utf-8'), parse_constant=refuse)
                    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value): refuse('')
                    print(len(value))
                except ValueError:
                    print('-')
            """
        return try Python.lines(script, about: documents)
    }
}
