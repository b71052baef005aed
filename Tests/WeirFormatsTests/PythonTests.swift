import Testing
import WeirCore
import WeirFormats
import WeirRecords
import WeirTesting

/// Whatever is read without a rejection, Python's modules read the same.
@Suite struct PythonTests {
    private static let fieldEnd: UInt8 = 0x1F
    private static let rowEnd: UInt8 = 0x1E

    /// The fields of all records, one after the other.
    private static func bytes(_ transcript: Transcript) -> [UInt8] {
        transcript.records.flatMap { record in
            record.fields.flatMap { Array(($0 ?? "").utf8) + [fieldEnd] } + [rowEnd]
        }
    }

    @Test func csvIsReadAsPythonReadsIt() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let fields = ["a", "b", "c"].map { RecordSchema.Field($0) }
        var documents: [[UInt8]] = []
        var ours: [String] = []
        for _ in 0..<20_000 {
            let document = CSVPropertyTests.document(&generator)
            // Python ends a row at a carriage return alone, and some versions refuse zeros.
            let hasLoneReturn = document.indices.contains { index in
                document[index] == 0x0D && (index + 1 == document.count || document[index + 1] != 0x0A)
            }
            let transcript = Transcript(document, CSVFormat(), fields: fields)
            guard !hasLoneReturn, !document.contains(0), transcript.error == nil, transcript.rejections.isEmpty else {
                continue
            }
            documents.append(document)
            ours.append("=" + Python.hex(Self.bytes(transcript)))
        }
        #expect(documents.count > 2000 && ours.contains { $0.utf8.count > 100 })
        let script = """
            import csv, io, sys
            for line in open(sys.argv[1]):
                try:
                    text = bytes.fromhex(line).decode('utf-8').removeprefix('\\ufeff')
                    rows = [row for row in csv.reader(io.StringIO(text, newline=''), strict=True) if row]
                    # What is empty has no header, and no rows.
                    places = [rows[0].index(name) for name in 'abc'] if rows else []
                    found = ''.join(''.join(row[place] + '\\x1f' for place in places) + '\\x1e' for row in rows[1:])
                    print('=' + found.encode('utf-8').hex())
                except (csv.Error, ValueError, IndexError) as error:
                    print(error)
            """
        guard let theirs = try Python.lines(script, about: documents) else { return }
        for (index, document) in documents.enumerated() where theirs[index] != ours[index] {
            Issue.record(
                "seed \(seed): \(String(decoding: document, as: UTF8.self).debugDescription), \(theirs[index]) \(ours[index])"
            )
            return
        }
    }

    @Test func linesOfJSONAreReadAsPythonReadsThem() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "é", "😀", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\/", "\\\"", "\\\\", "\\u0000", "\\x", "\t",
            "\\u12", "{", "}", "[", ",", ":", " ", "\"",
        ]
        let others = ["1", "-0.5e+3", "true", "null", "01", "1.", "nul", "[1,{\"b\":[]}]", "{}", "-", "\"\"", "[1,]"]
        var documents: [[UInt8]] = []
        var ours: [String] = []
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<6, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let value = Bool.random(using: &generator) ? "\"\(text)\"" : others.randomElement(using: &generator) ?? ""
            let other = others.randomElement(using: &generator) ?? ""
            let blank = [" ", "", "\t"].randomElement(using: &generator) ?? ""
            var document = Array("{\(blank)\"b\":\(other),\(blank)\"a\"\(blank):\(value)\(blank)}".utf8)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                let place = Int.random(in: 0..<document.count, using: &generator)
                document[place] = [0x22, 0x5C, 0x2C, 0x7D, 0xFF].randomElement(using: &generator) ?? 0
            }
            let transcript = Transcript(document, JSONLinesFormat(), fields: [RecordSchema.Field("a")])
            // What stands in a field that nobody wants is not looked at in detail.
            guard transcript.rejections.isEmpty, let field = transcript.records.first?.fields.first,
                case let text = field ?? "", !text.hasPrefix("["), !text.hasPrefix("{")
            else { continue }
            documents.append(document)
            ours.append("=" + Python.hex(text.utf8))
        }
        #expect(documents.count > 2000)
        let script = """
            import json, sys
            def refuse(word): raise ValueError(word)
            for line in open(sys.argv[1]):
                try:
                    text = bytes.fromhex(line).decode('utf-8')
                    value = json.loads(text, parse_constant=refuse, parse_int=str, parse_float=str).get('a')
                    if value is None: value = ''
                    if isinstance(value, bool): value = 'true' if value else 'false'
                    print('=' + value.encode('utf-8').hex())
                except ValueError as error:
                    print(error)
            """
        guard let theirs = try Python.lines(script, about: documents) else { return }
        for (index, document) in documents.enumerated() where theirs[index] != ours[index] {
            Issue.record(
                "seed \(seed): \(String(decoding: document, as: UTF8.self).debugDescription), \(theirs[index]) \(ours[index])"
            )
            return
        }
    }
}
