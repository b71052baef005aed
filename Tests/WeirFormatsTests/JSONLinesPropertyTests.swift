import Foundation
import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

@Suite struct JSONLinesPropertyTests {
    private static let names = ["a", "b", "é", "long name"]

    private let fields = names.map { RecordSchema.Field($0) }

    private static func value(_ generator: inout SeededGenerator, depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 3 ? 7 : 9), using: &generator) {
        case 0: return ["true", "false", "null"].randomElement(using: &generator) ?? ""
        case 1: return String(Int.random(in: -1000...1000, using: &generator))
        case 2: return String(Double.random(in: -1e6...1e6, using: &generator))
        case 3:
            return ["0", "-0", "1e5", "1E-2", "0.5e+1", "123456789012345678901"].randomElement(using: &generator) ?? ""
        case 4, 5, 6: return string(&generator)
        case 7:
            let count = Int.random(in: 0..<4, using: &generator)
            return "[" + (0..<count).map { _ in value(&generator, depth: depth + 1) }.joined(separator: ",") + "]"
        default: return object(&generator, depth: depth + 1)
        }
    }

    private static func string(_ generator: inout SeededGenerator) -> String {
        let pieces = [
            "x", "é", "😀", " ", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\u0041", "abcdefgh", "\\b",
        ]
        let count = Int.random(in: 0..<4, using: &generator)
        return "\"" + (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined() + "\""
    }

    private static func object(_ generator: inout SeededGenerator, depth: Int) -> String {
        // Each name at most once: which of two Foundation takes is its own affair.
        let keys = (names + ["x", "y"]).shuffled(using: &generator).prefix(Int.random(in: 0..<5, using: &generator))
        let blank = Int.random(in: 0..<4, using: &generator) == 0 ? " " : ""
        let members = keys.map { key in
            let written = key == "a" && Int.random(in: 0..<4, using: &generator) == 0 ? "\\u0061" : key
            return "\"\(written)\"\(blank):\(blank)" + value(&generator, depth: depth)
        }
        return "{\(blank)" + members.joined(separator: "\(blank),\(blank)") + "\(blank)}"
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let special: [UInt8] = Array("\"\\{}[]:,0-+.eEtu \t\r".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xA0, 0xFF]
        for _ in 0..<Int.random(in: 1..<4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let byte = special.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            case 2: bytes.remove(at: place)
            default: bytes.removeSubrange(place...)
            }
        }
    }

    /// What Foundation makes of the line: the wanted members, or `nil` when it refuses it.
    ///
    /// Foundation on Linux differs from RFC 8259, and from us, in these points; where it does, it is asked about an
    /// equivalent line, or the line is not compared:
    /// - It tells UTF-16 and UTF-32 by their zeros and marks at the start (section 8.1 allows only UTF-8 between
    ///   systems). Lines with a zero byte or such a mark are refused here without asking: no JSON has them.
    /// - It refuses numbers that no double can hold (section 6 lets a reader limit the range). We pass the text on, and
    ///   a reader of the number gets an error. When it refuses a line that we take, it is asked again with short
    ///   exponents, and only whether it takes that is compared.
    /// - It takes a comma before the end of an object or array, which the grammar (section 2) does not have. Such lines
    ///   are not compared.
    /// - When a name comes twice (section 4 leaves it open), it may take either; we take the last one. The generator
    ///   makes no such objects, and mutants that have them are not compared.
    private static func foundation(_ line: [UInt8]) -> [String: Any]? {
        if line.contains(0) || line.first == 0xFE || line.first == 0xFF || line.first == 0xEF { return nil }
        return (try? JSONSerialization.jsonObject(with: Data(line), options: [.fragmentsAllowed])) as? [String: Any]
    }

    private static func hasCommaBeforeEnd(_ line: [UInt8]) -> Bool {
        let text = line.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        return zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: ",") && ($1 == 0x7D || $1 == 0x5D) }
    }

    /// The line, which is valid, with at most two digits in its exponents.
    private static func withShortExponents(_ line: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var exponentDigits: Int?
        var isInString = false
        var isEscaped = false
        for byte in line {
            if isInString || byte == UInt8(ascii: "\"") {
                isInString = !isInString || isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = isInString && byte == UInt8(ascii: "\\") && !isEscaped
                exponentDigits = nil
                result.append(byte)
                continue
            }
            switch byte {
            case UInt8(ascii: "e"), UInt8(ascii: "E"): exponentDigits = 0
            case UInt8(ascii: "+"), UInt8(ascii: "-"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let count = exponentDigits {
                    exponentDigits = count + 1
                    if count >= 2 { continue }
                }
            default: exponentDigits = nil
            }
            result.append(byte)
        }
        return result
    }

    /// How many documents are compared: 50,000, or a million with `WEIR_LONG_TESTS=1` in the environment.
    private static var documentCount: Int {
        ProcessInfo.processInfo.environment["WEIR_LONG_TESTS"] == nil ? 50_000 : 1_000_000
    }

    @Test func agreesWithFoundation() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var (acceptedCount, refusedCount, skippedCount) = (0, 0, 0)
        for round in 0..<Self.documentCount {
            var line = Array(Self.object(&generator, depth: 0).utf8)
            if round % 3 != 0 { Self.mutate(&line, &generator) }
            let ours = Transcript(line, JSONLinesFormat(), fields: fields)
            let theirs = Self.foundation(line)
            if theirs == nil, ours.records.count == 1, Self.foundation(Self.withShortExponents(line)) != nil {
                skippedCount += 1
                continue
            }
            if theirs != nil, ours.records.isEmpty, Self.hasCommaBeforeEnd(line) {
                skippedCount += 1
                continue
            }
            var isRight = ours.violations.isEmpty && ours.records.count == (theirs == nil ? 0 : 1)
            refusedCount += theirs == nil ? 1 : 0
            if let theirs, let record = ours.records.first {
                acceptedCount += 1
                for (name, text) in zip(Self.names, record.fields) {
                    isRight = isRight && Self.isSame(theirs[name], text)
                }
                if !isRight, Self.hasNameTwice(line) {
                    skippedCount += 1
                    continue
                }
            }
            guard isRight else {
                let text = String(decoding: line, as: UTF8.self).debugDescription
                Issue.record("seed \(seed), round \(round): \(text)\n\(ours)\n\(String(describing: theirs))")
                return
            }
        }
        #expect(acceptedCount > Self.documentCount / 3)
        #expect(refusedCount > Self.documentCount / 5)
        #expect(skippedCount < Self.documentCount / 20)
    }

    /// Whether one of the names stands twice in the line, at whatever level.
    private static func hasNameTwice(_ line: [UInt8]) -> Bool {
        let text = String(decoding: line, as: UTF8.self).replacingOccurrences(of: "\\u0061", with: "a")
        return (names + ["x", "y"]).contains { text.components(separatedBy: "\"\($0)\"").count > 2 }
    }

    /// The limit that keeps memory bounded, where Foundation has 512 as well.
    @Test func nestingIsTakenTo512() {
        func line(_ depth: Int) -> [UInt8] {
            Array(("{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}").utf8)
        }
        for depth in [1, 100, 510, 511, 512, 513, 5_000] {
            let ours = Transcript(line(depth), JSONLinesFormat(), fields: fields)
            #expect(ours.records.count == (depth <= 511 ? 1 : 0), "\(depth)")
            #expect((Self.foundation(line(depth)) != nil) == (depth <= 511), "\(depth)")
        }
    }

    /// Numbers give the same double as `JSONDecoder`, bit by bit.
    ///
    /// Not as `JSONSerialization`: on Linux it makes decimals of long numbers, and their doubles are off by a bit.
    @Test func numbersAreTheSame() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let decoder = JSONDecoder()
        var compared = 0
        for round in 0..<Self.documentCount / 5 {
            let digits = (0..<Int.random(in: 1..<25, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }
            var text = Bool.random(using: &generator) ? "-" : ""
            text += digits[0] == "0" ? "0" : digits.joined()
            if Bool.random(using: &generator) { text += "." + digits.shuffled(using: &generator).joined() }
            if Bool.random(using: &generator) { text += "e\(Int.random(in: -330...300, using: &generator))" }
            let line = Array("{\"a\":\(text)}".utf8)
            guard let theirs = try? decoder.decode([String: Double].self, from: Data(line))["a"] else { continue }
            compared += 1
            let ours = Self.number(line)
            guard ours?.bitPattern == theirs.bitPattern else {
                Issue.record("seed \(seed), round \(round): \(text), \(String(describing: ours)), \(theirs)")
                return
            }
        }
        #expect(compared > Self.documentCount / 10)
    }

    private enum Key: Int, FieldKey { case a }

    private static func number(_ line: [UInt8]) -> Double? {
        var reader = RecordReader(ByteSource(line), format: JSONLinesFormat(), schema: RecordSchema(Key.self))
        var value: Double?
        _ = try? reader.next { batch in
            value = batch.withRecord(at: 0, keyedBy: Key.self) { record in try? record.double(.a) }
        }
        return value
    }

    private static func isSame(_ theirs: Any?, _ ours: String?) -> Bool {
        guard let theirs, !(theirs is NSNull) else { return ours == nil }
        guard let ours else { return false }
        if let text = theirs as? String { return text == ours }
        // What has no quotes of its own is the same if Foundation reads the same from our excerpt.
        let again = try? JSONSerialization.jsonObject(with: Data(ours.utf8), options: [.fragmentsAllowed])
        return again.map { isEqual($0, theirs) } ?? false
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? [Any], let right = right as? [Any] {
            return left.count == right.count && zip(left, right).allSatisfy { isEqual($0, $1) }
        }
        if let left = left as? [String: Any], let right = right as? [String: Any] {
            return left.count == right.count
                && left.allSatisfy { name, value in right[name].map { isEqual(value, $0) } ?? false }
        }
        return "\(type(of: left)) \(left)" == "\(type(of: right)) \(right)"
    }

    @Test func theResultDoesNotDependOnTheCuts() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<4_000 {
            var bytes: [UInt8] = Bool.random(using: &generator) ? [] : [0xEF, 0xBB, 0xBF]
            for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                var line = Array(Self.object(&generator, depth: 2).utf8)
                if Bool.random(using: &generator) { Self.mutate(&line, &generator) }
                bytes += line + [[0x0A], [0x0D, 0x0A], [0x0A, 0x0A], []][Int.random(in: 0..<4, using: &generator)]
            }
            let limit = Bool.random(using: &generator) ? 1000 : Int.random(in: 16..<60, using: &generator)
            let longest = Int.random(in: 1..<60, using: &generator)
            let whole = Transcript(bytes, JSONLinesFormat(), fields: fields, limit: limit)
            let capacity = Int.random(in: 1..<4, using: &generator)
            let cut = Transcript(bytes, JSONLinesFormat(), fields: fields, limit: limit, capacity: capacity) {
                Int.random(in: 1...longest, using: &generator)
            }
            guard cut == whole, whole.violations.isEmpty else {
                let text = String(decoding: bytes, as: UTF8.self).debugDescription
                Issue.record("seed \(seed), round \(round), limit \(limit): \(text)\n\(whole)\n\(cut)")
                return
            }
        }
    }
}
