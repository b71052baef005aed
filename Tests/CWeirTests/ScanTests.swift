import CWeir
import Testing

@Suite struct CScanTests {
    /// What an index says, in a form that can be compared.
    struct Contents: Equatable {
        var marks: [UInt32] = []
        var rowEnds: [UInt32] = []
        var isFlawed = false
    }

    enum Language: CaseIterable {
        case csv, unquoted, blanks, unquotedBlanks, jsonLines

        var delimiter: UInt8 { self == .blanks || self == .unquotedBlanks ? 0x20 : 0x2C }

        var hasQuotes: Bool { self == .csv || self == .blanks }
    }

    private static let kernels = [CWEIR_KERNEL_PORTABLE, CWEIR_KERNEL_VECTOR, CWEIR_KERNEL_AVX2].filter {
        cweir_kernel_is_available($0)
    }

    private static func contents(
        _ bytes: [UInt8],
        _ language: Language,
        _ kernel: cweir_kernel_t,
        rowLimit: Int,
        _ look: (cweir_index_t) -> Void = { _ in }
    ) -> Contents {
        guard let index = unsafe cweir_index_create(1 << 10, 1 << 14, kernel) else { return Contents() }
        defer { unsafe cweir_index_destroy(index) }
        // A copy of exactly this size, so that the address sanitizer sees each byte that is read beyond it.
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, bytes.count))
        defer { unsafe text.deallocate() }
        for (place, byte) in bytes.enumerated() { unsafe text[place] = byte }
        switch language {
        case .csv, .unquoted, .blanks, .unquotedBlanks:
            unsafe cweir_index_csv(index, text, bytes.count, rowLimit, language.delimiter, language.hasQuotes)
        case .jsonLines: unsafe cweir_index_json_lines(index, text, bytes.count, rowLimit)
        }
        let result = unsafe index.pointee
        unsafe look(result)
        var contents = unsafe Contents(isFlawed: result.is_flawed)
        for row in 0..<Int(unsafe result.row_count) { contents.rowEnds.append(unsafe result.row_ends[row]) }
        for mark in 0..<Int((contents.rowEnds.last ?? .max) &+ 1) { contents.marks.append(unsafe result.marks[mark]) }
        return contents
    }

    /// CSV by the book, one byte after the other.
    private static func csv(_ bytes: [UInt8], _ language: Language, rowLimit: Int) -> Contents {
        enum State { case fieldStart, unquoted, quoted, afterQuote, afterReturn }
        var contents = Contents()
        var marks: [UInt32] = []
        var state = State.fieldStart
        let delimiter = language.delimiter
        for (place, byte) in bytes.enumerated() {
            if contents.rowEnds.count == rowLimit { return contents }
            // Where there are no quotes, one is any other byte.
            switch (state, byte == 0x22 && !language.hasQuotes ? 0x78 : byte) {
            case (.quoted, 0x22): state = .afterQuote
            case (.quoted, _): break
            case (.fieldStart, 0x22), (.afterQuote, 0x22): state = .quoted
            case (_, 0x0A), (.fieldStart, delimiter), (.unquoted, delimiter), (.afterQuote, delimiter):
                state = .fieldStart
                marks.append(UInt32(place))
                if byte == 0x0A {
                    contents.rowEnds.append(UInt32(marks.count - 1))
                    contents.marks = marks
                }
            case (.afterQuote, 0x0D): state = .afterReturn
            case (.afterQuote, _), (.afterReturn, _), (.unquoted, 0x22):
                contents.isFlawed = true
                return contents
            case (.fieldStart, _), (.unquoted, _): state = .unquoted
            }
        }
        return contents
    }

    /// The commas outside of strings and the line feeds, one byte after the other.
    private static func jsonLines(_ bytes: [UInt8], rowLimit: Int) -> Contents {
        var contents = Contents()
        var marks: [UInt32] = []
        var isInString = false
        var isEscaped = false
        for (place, byte) in bytes.enumerated() {
            if contents.rowEnds.count == rowLimit { return contents }
            if byte == 0x22, !isEscaped { isInString.toggle() }
            // Backslashes stand in strings only; where they do not, the line is no JSON and the index may be anything,
            // but the same for all kernels.
            isEscaped = byte == 0x5C && !isEscaped
            if byte == 0x0A, isInString {
                contents.isFlawed = true
                return contents
            }
            if byte == 0x0A || byte == 0x2C && !isInString { marks.append(UInt32(place)) }
            if byte == 0x0A {
                contents.rowEnds.append(UInt32(marks.count - 1))
                contents.marks = marks
            }
        }
        return contents
    }

    /// Bytes among which those that matter are frequent, in runs and alone.
    private static func text(_ generator: inout SystemRandomNumberGenerator, _ language: Language) -> [UInt8] {
        let count = Int.random(in: 0..<400, using: &generator)
        if Int.random(in: 0..<4, using: &generator) == 0 {
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        }
        let pieces =
            language != .jsonLines
            ? [
                "1", ",", ",", "\n", "\r\n", "\"", "\"\"", "\"a,b\"", "\"\n\"", "abcdefgh", "\r", "é", "\"x\"\"y\"",
                ",\"\",",
            ]
            : [
                "{\"a\":", ",", "\n", "\"", "\\", "\\\\", "\\\"", "\"a,b\"", "}", "12345678", "é", "\"\\\\\"",
                "\"x\\\"y\",",
            ]
        var bytes: [UInt8] = []
        // Rarely a flaw, so that some texts are long ones without any.
        let cut = Int.random(in: 1...pieces.count, using: &generator)
        while bytes.count < count {
            let rare = Int.random(in: 0..<8, using: &generator) == 0
            let place = Int.random(in: 0..<(rare ? pieces.count : cut), using: &generator)
            bytes += pieces[place].utf8.map { $0 == 0x2C ? language.delimiter : $0 }
        }
        return bytes
    }

    @Test(arguments: Language.allCases)
    func everyKernelSaysWhatTheBookSays(language: Language) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<6_000 {
            let bytes = Self.text(&generator, language)
            let rowLimit = Bool.random(using: &generator) ? 1000 : Int.random(in: 0..<6, using: &generator)
            let expected =
                language == .jsonLines
                ? Self.jsonLines(bytes, rowLimit: rowLimit) : Self.csv(bytes, language, rowLimit: rowLimit)
            for kernel in Self.kernels {
                let found = unsafe Self.contents(bytes, language, kernel, rowLimit: rowLimit)
                guard found == expected else {
                    Issue.record("kernel \(kernel.rawValue), limit \(rowLimit): \(bytes)\n\(found)\n\(expected)")
                    return
                }
            }
        }
    }

    @Test(arguments: kernels.map(\.rawValue))
    func flagsSayWhatIsThere(kernel: UInt32) {
        func flags(_ text: String) -> [Bool] {
            var flags: [Bool] = []
            _ = unsafe Self.contents(Array(text.utf8), .csv, cweir_kernel_t(kernel), rowLimit: 1000) { index in
                flags = unsafe [
                    index.has_quotes, index.has_doubled_quotes, index.has_quoted_newlines, index.has_high_bytes,
                ]
            }
            return flags
        }
        // Once within a block, and once over the edge between two.
        for padding in ["", String(repeating: "x", count: 58) + ","] {
            #expect(flags(padding + "a,b\n") == [false, false, false, false])
            #expect(flags(padding + "a,é\n") == [false, false, false, true])
            #expect(flags(padding + "\"a\",\"b\"\n") == [true, false, false, false])
            #expect(flags(padding + "\"\",\"b\"\n") == [true, false, false, false])
            #expect(flags(padding + "\"a\"\"\",\"b\"\n") == [true, true, false, false])
            #expect(flags(padding + "\"a\n\",\"b\"\n") == [true, false, true, false])
            #expect(flags(padding + "\"abc\n\n\n\n") == [true, false, true, false])
        }
    }

    @Test(arguments: kernels.map(\.rawValue))
    func rowsAreTakenOneAfterTheOther(kernel: UInt32) throws {
        let text = Array("1,2\n\n3\n\"4\n\",5\r\n6".utf8)
        let index = try unsafe #require(cweir_index_create(8, 8, cweir_kernel_t(kernel)))
        defer { unsafe cweir_index_destroy(index) }
        unsafe cweir_index_csv(index, text, text.count, 8, 0x2C, true)
        for start in [4, 5, 7, 15] {
            unsafe #expect(!cweir_index_skip(index, start - 1))
            unsafe #expect(cweir_index_skip(index, start))
            unsafe #expect(cweir_index_next_start(index) == start)
        }
        unsafe #expect(!cweir_index_skip(index, 16))
        unsafe cweir_index_csv(index, text, text.count, 8, 0x2C, true)
        unsafe #expect(cweir_index_next_start(index) == 0)
    }

    @Test func theLimitOfSeparatorsEndsAtARow() throws {
        let text = Array(String(repeating: "a,b,c\n", count: 100).utf8)
        let index = try unsafe #require(cweir_index_create(1000, 10, cweir_kernel_best()))
        defer { unsafe cweir_index_destroy(index) }
        unsafe cweir_index_csv(index, text, text.count, 1000, 0x2C, true)
        let rowCount = unsafe index.pointee.row_count
        #expect(rowCount > 0 && rowCount < 30)
        for row in 0..<rowCount { unsafe #expect(index.pointee.row_ends[Int(row)] == row * 3 + 2) }
    }

    @Test func refusesBadLimits() {
        for (rows, marks) in [(0, 1), (1, 0), (1 << 29, 1), (1, 1 << 29)] {
            unsafe #expect(cweir_index_create(rows, marks, CWEIR_KERNEL_PORTABLE) == nil)
        }
        unsafe #expect(cweir_index_create(1, 1, cweir_kernel_t(77)) == nil)
        cweir_index_destroy(nil)
    }
}
