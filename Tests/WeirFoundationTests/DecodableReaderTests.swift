import Foundation
import Testing
import WeirCore
import WeirFoundation
import WeirRecords

@Suite struct DecodableReaderTests {
    private enum Kind: String, Decodable {
        case calm, wild
    }

    private struct Reading: Event, Decodable, Equatable {
        let timestamp: Timestamp
        let celsius: Double
        let kind: Kind
        let note: String?
        let count: UInt8?
        let isValid: Bool?
        let day: Date?

        init(_ milliseconds: Int64, _ celsius: Double, _ kind: Kind) {
            timestamp = Timestamp(millisecondsSinceEpoch: milliseconds)
            self.celsius = celsius
            self.kind = kind
            (note, count, isValid, day) = (nil, nil, nil, nil)
        }

        init(
            _ milliseconds: Int64,
            _ celsius: Double,
            _ kind: Kind,
            note: String,
            count: UInt8,
            isValid: Bool,
            day: Date
        ) {
            timestamp = Timestamp(millisecondsSinceEpoch: milliseconds)
            self.celsius = celsius
            self.kind = kind
            (self.note, self.count, self.isValid, self.day) = (note, count, isValid, day)
        }
    }

    private struct Nested: Decodable {
        let inner: [Int]
    }

    private static let header = "timestamp,celsius,kind,note,count,isValid,day\n"

    /// Reads a text in pieces of a size.
    private func read<Value: Decodable & Sendable>(
        _ text: String,
        as type: Value.Type,
        _ format: DecodableFormat,
        pieces: Int = 7
    ) throws -> ([Value], [RejectedLine]) {
        var values: [Value] = []
        var rejections: [RejectedLine] = []
        var reader = DecodableReader(type, format: format)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try reader.read(
                rest.prefix(pieces),
                onEvents: { values += $0 },
                onRejection: { rejections.append($0) }
            )
            rest = rest.dropFirst(pieces)
        }
        try reader.finish(onEvents: { values += $0 }, onRejection: { rejections.append($0) })
        return (values, rejections)
    }

    @Test(arguments: [1, 7, 10_000])
    func rowsOfCSVBecomeValues(pieces: Int) throws {
        let text = """
            1500,21.5,calm,,,,
            1970-01-01T00:00:02Z,-3,wild,"a ""note"", b",7,true,2024-06-08T16:05:00Z
            """
        let (values, rejections) = try read(Self.header + text, as: Reading.self, .csv, pieces: pieces)
        let day = Date(timeIntervalSince1970: 1_717_862_700)
        #expect(
            values == [
                Reading(1500, 21.5, .calm),
                Reading(2000, -3, .wild, note: "a \"note\", b", count: 7, isValid: true, day: day),
            ]
        )
        #expect(rejections.isEmpty)
    }

    @Test(arguments: [1, 7, 10_000])
    func linesOfJSONBecomeValues(pieces: Int) throws {
        let text = """
            {"timestamp":1500,"celsius":21.5,"kind":"calm"}

            {"timestamp":"1970-01-01T00:00:02Z","celsius":-3,"kind":"wild","note":"a \\"note\\", b","count":7,"isValid":true,\
            "day":1717862700000}
            """
        let (values, rejections) = try read(text, as: Reading.self, .jsonLines, pieces: pieces)
        let day = Date(timeIntervalSince1970: 1_717_862_700)
        #expect(
            values == [
                Reading(1500, 21.5, .calm),
                Reading(2000, -3, .wild, note: "a \"note\", b", count: 7, isValid: true, day: day),
            ]
        )
        #expect(rejections.isEmpty)
    }

    @Test func badRowsOfCSVAreRejectedOneByOne() throws {
        let text = """
            x,1,calm,,,,
            1,x,calm,,,,
            1,,calm,,,,
            1,nan,calm,,,,
            1,1,mad,,,,
            1,1,calm,,256,,
            1,1,calm,,1.5,,
            1,1,calm,,,yes,
            1,1,calm,,,,soon
            1,1
            2,1,calm,,,,
            """
        let (values, rejections) = try read(Self.header + text, as: Reading.self, .csv)
        #expect(values == [Reading(2, 1, .calm)])
        #expect(rejections.map(\.line) == Array(2...11))
        let reasons = rejections.map(\.reason)
        #expect(reasons[0] == "field 'timestamp' is neither a number nor a time: 'x'")
        #expect(reasons[1] == "field 'celsius' is not a number: 'x'")
        #expect(reasons[2] == "field 'celsius' is missing")
        #expect(reasons[3] == "field 'celsius' is not a finite number: 'nan'")
        #expect(reasons[4].hasPrefix("field 'kind' "))
        #expect(reasons[5] == "field 'count' is out of range: '256'")
        #expect(reasons[6] == "field 'count' is not a whole number: '1.5'")
        #expect(reasons[7] == "field 'isValid' is neither true nor false: 'yes'")
        #expect(reasons[8] == "field 'day' is neither a number nor a time: 'soon'")
        #expect(reasons[9] == "expected 7 fields, found 2")
        #expect(rejections.first?.excerpt == "x,1,calm,,,,")
    }

    @Test func badLinesOfJSONAreRejectedOneByOne() throws {
        let text = """
            {"timestamp":1,"celsius":1}
            {"timestamp":1,"celsius":"x","kind":"calm"}
            {"timestamp":"soon","celsius":1,"kind":"calm"}
            {"timestamp":1
            [1]
            {"timestamp":2,"celsius":1,"kind":"calm"}
            """
        let (values, rejections) = try read(text, as: Reading.self, .jsonLines)
        #expect(values == [Reading(2, 1, .calm)])
        #expect(rejections.map(\.line) == Array(1...5))
        #expect(rejections[0].reason == "field 'kind' is missing")
        #expect(rejections[1].reason.hasPrefix("field 'celsius' "))
        #expect(rejections[2].reason == "field 'timestamp' is neither a number nor a time: 'soon'")
        #expect(rejections[3].reason == "expected ',' or '}' at byte 15")
        #expect(
            rejections[4].reason
                == "a line must be an object (--format json reads arrays of them); expected '{' at byte 1"
        )
    }

    @Test func valuesInValuesAreRefusedInCSV() throws {
        let (values, rejections) = try read("inner\n1\n", as: Nested.self, .csv)
        #expect(values.isEmpty)
        #expect(rejections.map(\.reason) == ["field 'inner' a CSV field cannot hold an array: '1'"])
        #expect(try read("{\"inner\":[1]}\n", as: Nested.self, .jsonLines).0.map(\.inner) == [[1]])
    }

    @Test func fieldsThatTheTypeDoesNotHaveAreLeftOut() throws {
        let text = "celsius,,extra,kind,timestamp\n1,2,3,calm,4\n"
        #expect(try read(text, as: Reading.self, .csv).0 == [Reading(4, 1, .calm)])
    }

    @Test func columnsThatAreAbsentAreMissing() throws {
        let (values, rejections) = try read("timestamp,kind\n1,calm\n", as: Reading.self, .csv)
        #expect(values.isEmpty)
        #expect(rejections.map(\.reason) == ["field 'celsius' is missing"])
    }

    @Test func badHeadersAreErrors() {
        #expect(throws: FormatError.duplicateField("celsius")) {
            try read("celsius,celsius\n", as: Reading.self, .csv)
        }
    }

    /// A number means the same time in both formats, with quotes and without.
    @Test(arguments: [
        "0", "-0", "-1", "1.5", "-1.5", "1717862700123.456789", "9223372036854", "-9223372036854.775808", "1e3",
        "15E-1",
        "0.0000001", "-0.0000001", "1e400", "9223372036855", "1e18446744073709551616", "123456789012345678901234567890",
    ])
    func numbersOfTimesAreExactInBothFormats(number: String) throws {
        let csv = try read(Self.header + "\(number),1,calm,,,,\n", as: Reading.self, .csv)
        let quoted = try read(
            "{\"timestamp\":\"\(number)\",\"celsius\":1,\"kind\":\"calm\"}",
            as: Reading.self,
            .jsonLines
        )
        let bare = try read("{\"timestamp\":\(number),\"celsius\":1,\"kind\":\"calm\"}", as: Reading.self, .jsonLines)
        #expect(csv.0 == quoted.0)
        #expect(csv.0 == bare.0)
        #expect(bare.0.count + bare.1.count == 1)
    }

    @Test func manyRowsAreReadInBatches() throws {
        let rows = (0..<5000).map { "\($0),\($0),calm,,,,\n" }.joined()
        let (values, rejections) = try read(Self.header + rows, as: Reading.self, .csv, pieces: 65_536)
        #expect(values == (0..<5000).map { Reading($0, Double($0), .calm) })
        #expect(rejections.isEmpty)
    }
}
