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

    @Test func whatWasLookedAtAheadIsStillToCome() throws {
        let text = Array("time,x\n1,2\n3,4\n".utf8)
        let counted = CountedSource(ByteSource(text), at: SourcePosition(offset: 0))
        let source = HeadKeepingSource(counted, keepsHead: false)
        #expect(try source.firstLines(limit: 100) == text)
        for offset in text.indices {
            let place = try #require(source.position)
            #expect(place.position.offset == Int64(text.count))
            #expect(place.unread == Array(text[offset...]))
            #expect(try read(source, 1).utf8.elementsEqual([text[offset]]))
        }
        #expect(source.position?.unread == [])
    }

    @Test func aSourceWithoutAHeadGoesOnWithWhatWasNotDecoded() throws {
        let source = HeadKeepingSource(ByteSource(Array("12345".utf8)), keepsHead: false, after: Array("0".utf8))
        #expect(source.head == [])
        #expect(try read(source, 3) == "0")
        #expect(try read(source, 3) == "123")
        source.beginAnew(before: Array("23".utf8))
        // Nothing of what was put in front is lost where it was read in part, or not at all.
        #expect(try read(source, 1) == "2")
        source.beginAnew(before: Array("2".utf8))
        source.beginAnew(before: [])
        #expect(try read(source, 100) == "23")
        #expect(try read(source, 100) == "45")
        #expect(try read(source, 100) == "")
        #expect(source.byteCount == 5)
    }

    @Test(arguments: [1, 2, 5, 100])
    func theRestOfALineThatWasRejectedIsLeftOut(pieces: Int) throws {
        let source = HeadKeepingSource(ByteSource(Array("a,b\nlong line,2\n3,4\n".utf8)), keepsHead: true)
        #expect(try read(source, 7) == "a,b\nlon")
        source.beginAnew(before: Array("n".utf8), insideRefusedLine: true)
        var rest = ""
        while true {
            let piece = try read(source, pieces)
            if piece.isEmpty { break }
            rest += piece
        }
        #expect(rest == "a,b\n3,4\n")
        let other = HeadKeepingSource(ByteSource([]), keepsHead: false, after: [])
        other.beginAnew(before: Array("rest\n5\n".utf8), insideRefusedLine: true)
        #expect(try read(other, 100) == "5\n")
    }

    @Test func theRestOfALineMayComeInVeryManyPieces() throws {
        let source = HeadKeepingSource(
            ByteSource([UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000) + "\n1\n".utf8),
            keepsHead: false
        )
        source.beginAnew(before: [], insideRefusedLine: true)
        #expect(try read(source, 1) == "1")
    }

    @Test(arguments: [1, 2, 5, 100])
    func aReaderThatBeginsAnewGetsTheHeadOnce(pieces: Int) throws {
        let source = HeadKeepingSource(ByteSource(Array("\na,b\n1,2\n3,4\n".utf8)), keepsHead: true)
        #expect(try read(source, 3) == "\na,")
        // Not complete: what the reader has of it comes back.
        source.beginAnew(before: Array("a,".utf8))
        var begun = ""
        while begun.utf8.count < 8 { begun += try read(source, 8 - begun.utf8.count) }
        #expect(begun == "a,b\n1,2\n")
        source.beginAnew(before: Array("2\n".utf8))
        source.beginAnew(before: [])
        let start = try read(source, 2)
        source.beginAnew(before: Array(start.utf8))
        var all = ""
        while true {
            let piece = try read(source, pieces)
            if piece.isEmpty { break }
            all += piece
        }
        #expect(all == "a,b\n2\n3,4\n")
    }
}
