import Foundation
import Testing
import WeirCore

@testable import WeirRecords

@Suite struct QuotedTextTests {
    private func escapes(_ bytes: [UInt8]) -> String? {
        unsafe bytes.withUnsafeBufferPointer { unsafe QuotedText.resolvingEscapes($0) }
    }

    private func escapes(_ text: String) -> String? { escapes(Array(text.utf8)) }

    private func quotes(_ bytes: [UInt8]) -> String? {
        unsafe bytes.withUnsafeBufferPointer { unsafe QuotedText.undoublingQuotes($0) }
    }

    @Test func doubledQuotesBecomeOne() {
        #expect(quotes(Array("a\"\"b\"\"\"\"é".utf8)) == "a\"b\"\"é")
        #expect(quotes([]) == "")
        #expect(quotes([0x22, 0x22]) == "\"")
        #expect(quotes([0x22, 0x22, 0xFF]) == nil)
    }

    @Test func escapesBecomeWhatTheyStandFor() {
        #expect(escapes("\\\"\\\\\\/\\b\\f\\n\\r\\t") == "\"\\/\u{8}\u{C}\n\r\t")
        #expect(escapes("\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\\uffff\\u0000") == "Aé€😀\u{FFFF}\0")
        #expect(escapes("") == "")
        #expect(escapes("é") == "é")
    }

    @Test(arguments: [
        "\\", "\\x", "\\u", "\\u12", "\\u12g4", "\\ud800", "\\ud800x", "\\ud800\\n", "\\ud800\\u0041", "\\udc00",
        "\\ud800\\ud800", "\\ud800\\u", "\\U0041",
    ])
    func badEscapesAreRefused(text: String) {
        #expect(escapes(text) == nil)
    }

    @Test func invalidUTF8IsRefused() {
        #expect(escapes([0xC3]) == nil)
        #expect(escapes([0xED, 0xA0, 0x80]) == nil)
    }

    @Test func everyCodeUnitAgreesWithFoundation() throws {
        for unit in UInt16.min...UInt16.max {
            let digits = String(unit, radix: 16)
            let text = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            if UTF16.isLeadSurrogate(unit) || UTF16.isTrailSurrogate(unit) {
                #expect(escapes(text) == nil)
            } else if unit % 17 == 0 {
                let array = try JSONSerialization.jsonObject(with: Data("[\"\(text)\"]".utf8)) as? [String]
                #expect(escapes(text) == array?.first)
            }
        }
    }
}
