import Testing
import WeirCore
import WeirRecords

@Suite struct HeadKeepingSourceTests {
    private func read(_ source: HeadKeepingSource, _ count: Int) throws -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { unsafe buffer.deallocate() }
        return unsafe String(decoding: buffer.prefix(try source.read(into: buffer)), as: UTF8.self)
    }

    /// What a source keeps of an input that it reads in pieces.
    private func head(of text: String, pieces: Int) throws -> String? {
        let source = HeadKeepingSource(ByteSource(Array(text.utf8)), keepsHead: true)
        var all = ""
        while true {
            let piece = try read(source, pieces)
            if piece.isEmpty { break }
            all += piece
        }
        #expect(all == text)
        #expect(source.byteCount == Int64(text.utf8.count))
        return source.head.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [1, 2, 3, 100])
    func keepsTheFirstLineThatIsNotBlank(pieces: Int) throws {
        #expect(try head(of: "time,x\n1,2\n", pieces: pieces) == "time,x\n")
        #expect(try head(of: "\n\r\n\ntime,x\r\n1,2\n", pieces: pieces) == "time,x\r\n")
        #expect(try head(of: "\"a\nb\",x\n1,2\n", pieces: pieces) == "\"a\nb\",x\n")
        #expect(try head(of: "time,x", pieces: pieces) == nil)
        #expect(try head(of: "\n\n", pieces: pieces) == nil)
    }

    @Test func keepsTheFirstLineAfterAByteOrderMark() throws {
        #expect(try head(of: "\u{FEFF}time\n1\n", pieces: 100) == "\u{FEFF}time\n")
        #expect(try head(of: "\u{FEFF}\ntime\n1\n", pieces: 100) == "time\n")
    }

    @Test func handsOutWhatIsPutInFront() throws {
        let source = HeadKeepingSource(ByteSource(Array("two".utf8)), keepsHead: false, after: Array("one".utf8))
        #expect(source.head == [])
        #expect(try read(source, 100) == "one")
        #expect(try read(source, 1) == "t")
        source.prepend(Array("again t".utf8))
        #expect(try read(source, 100) == "again t")
        #expect(try read(source, 100) == "wo")
        #expect(try read(source, 100) == "")
        #expect(source.byteCount == 3)
    }
}
