import Testing
import WeirCore
import WeirTesting

@testable import WeirRecords

@Suite struct DecimalTextTests {
    private func double(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe DecimalText.double($0) }
    }

    private func integer(_ text: String) -> ParsedInteger {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe DecimalText.integer($0) }
    }

    /// Whether we and the standard library read the same number, to the bit.
    private func agrees(_ text: String) -> Bool {
        double(text)?.bitPattern == Double(text)?.bitPattern
    }

    @Test func agreesWithTheStandardLibraryOnWrittenNumbers() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50_000 {
            let number = Double(bitPattern: generator.next())
            if number.isFinite { #expect(agrees(number.description), "seed \(seed): \(number)") }
            let small = Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1000
            #expect(agrees(small.description), "seed \(seed): \(small)")
        }
    }

    @Test func agreesWithTheStandardLibraryOnRandomDigits() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<50_000 {
            func digits(_ limit: Int) -> String {
                let count = Int.random(in: 0..<limit, using: &generator)
                return String((0..<count).map { _ in "0123456789".randomElement(using: &generator) ?? "0" })
            }
            let limit = round % 100 == 0 ? 900 : 24
            let whole = digits(limit)
            let text =
                ["", "-", "+"].randomElement(using: &generator).map { $0 + (whole.isEmpty ? "1" : whole) } ?? ""
            let fraction = Bool.random(using: &generator) ? "." + digits(limit) + "5" : ""
            let exponent =
                Bool.random(using: &generator) ? "e\(Int.random(in: -340...320, using: &generator))" : ""
            #expect(agrees(text + fraction + exponent), "seed \(seed): \(text)\(fraction)\(exponent)")
        }
    }

    /// The numbers of 16 to 19 digits with a fraction, which are divided, also where they are next to halfway.
    @Test func agreesWithTheStandardLibraryOnLongFractions() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<100_000 {
            let places = Int.random(in: 0...20, using: &generator)
            var mantissa = UInt64.random(in: 1 << 53...9_999_999_999_999_999_999, using: &generator)
            if round % 2 == 0 {
                // Halfway between two doubles, cut to the digits that there are, or one more.
                let number = Double(mantissa)
                mantissa = UInt64(number) &+ UInt64(number.ulp / 2) &+ UInt64.random(in: 0...1, using: &generator)
                if mantissa > 9_999_999_999_999_999_999 { continue }
            }
            var text = String(mantissa)
            text = String(repeating: "0", count: max(0, places + 1 - text.count)) + text
            text.insert(".", at: text.index(text.endIndex, offsetBy: -places))
            #expect(agrees(text), "seed \(seed): \(text)")
        }
    }

    /// The number halfway between two neighbouring doubles, written out in full, and a little more and less.
    @Test func halfwayCasesAreRoundedToEven() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let mantissa = UInt64.random(in: 1 << 52..<1 << 53, using: &generator)
            let power = Int.random(in: -1074...200, using: &generator)
            // (mantissa + 1/2) × 2^power, as digits and a number of decimal places.
            var digits = String(mantissa * 2 + 1).reversed().map { $0.wholeNumberValue ?? 0 }
            for _ in 0..<abs(power - 1) { Self.multiply(&digits, by: power > 0 ? 2 : 5) }
            let text = String(digits.reversed().map { Character(String($0)) })
            let exponent = "e\(min(power - 1, 0))"
            let low = Double(sign: .plus, exponent: power, significand: Double(mantissa))
            let even = mantissa & 1 == 0 ? low : low.nextUp
            #expect(double(text + exponent) == even, "seed \(seed): \(mantissa) \(power)")
            #expect(double(text + ".0000" + exponent) == even)
            #expect(double(text + "." + String(repeating: "0", count: 900) + "1" + exponent) == low.nextUp)
            #expect(agrees(text + exponent))
        }
    }

    private static func multiply(_ digits: inout [Int], by factor: Int) {
        var carry = 0
        for index in digits.indices {
            carry += digits[index] * factor
            digits[index] = carry % 10
            carry /= 10
        }
        if carry > 0 { digits.append(carry) }
    }

    @Test(arguments: [
        "0", "-0", "0.0", ".5", "5.", "1e5", "1E+5", "1e-5", "00012", "9007199254740993", "9007199254740992.5", "1e22",
        "1e23", "1e-22", "1e-23", "2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324",
        "2.4703282292062328e-324", "1.7976931348623158e308", "18446744073709551615", "18446744073709551616",
        "1234567890123456789012345678901234567890", "1e-400", "0e999999999999999999999",
    ])
    func agreesOnCornerCases(text: String) {
        #expect(agrees(text))
    }

    @Test func blanksAroundNumbersAreSkipped() {
        #expect(double(" \t1.5 \t") == 1.5)
        #expect(integer(" 15\t") == .value(15))
    }

    @Test func whatIsNotFiniteIsSaidToBeSo() {
        for text in ["nan", "NaN", "-NAN", "+nan"] { #expect(double(text)?.isNaN == true, "\(text)") }
        for text in ["inf", "Infinity", "+INF", "1e999", "1.7976931348623159e308", "1e99999999999999999999"] {
            #expect(double(text) == .infinity, "\(text)")
        }
        for text in ["-inf", "-infinity", "-1e309"] { #expect(double(text) == -.infinity, "\(text)") }
        #expect(double("1" + String(repeating: "0", count: 400) + "e-400") == 1)
    }

    @Test(arguments: [
        "", " ", ".", "-", "+", "e5", ".e5", "1e", "1e+", "1e5x", "1.2.3", "+-1", "--1", "0x10", "0x1p3", "1 2", "1,5",
        "x",
        "1_000", "nanx", "infinit", "na", "1f", "١", "1\0", "\u{FEFF}1",
    ])
    func everythingElseIsRefused(text: String) {
        #expect(double(text) == nil)
        #expect(integer(text) == .malformed)
    }

    @Test func integersAreCheckedForTheirRange() {
        #expect(integer("9223372036854775807") == .value(.max))
        #expect(integer("-9223372036854775808") == .value(.min))
        #expect(integer("+0") == .value(0))
        #expect(integer("0000000000000000000000017") == .value(17))
        for text in ["9223372036854775808", "-9223372036854775809", "99999999999999999999999"] {
            #expect(integer(text) == .outOfRange, "\(text)")
        }
        for text in ["1.0", "1e3", "99999999999999999999999x"] { #expect(integer(text) == .malformed, "\(text)") }
    }
}
