import Testing

@testable import WeirNATS

@Suite struct CommitHeadTests {
    private func head(position: String = "7", first: String = "3", pieces: String = "1") -> NATSCommitHead? {
        let text = #"{"position":\#(position),"input":"i","first":\#(first),"pieces":\#(pieces),"bytes":2}"#
        return NATSCommitHead(Array(text.utf8))
    }

    @Test func aHeadIsRead() {
        let found = head()
        #expect(found?.position == 7 && found?.firstPiece == 3 && found?.pieceCount == 1)
    }

    /// What is added to them stays a number.
    @Test(arguments: ["4611686018427387904", "18446744073709551615"])
    func numbersThatNoMessageHasAreRefused(number: String) {
        #expect(head(position: number) == nil)
        #expect(head(first: number) == nil)
        #expect(head(pieces: number) == nil)
    }

    @Test func changesAreAmongTheBytes() {
        func head(_ changes: String) -> NATSCommitHead? {
            NATSCommitHead(Array(#"{"position":7,"input":"i","pieces":3,"bytes":9,"changes":\#(changes)}"#.utf8))
        }
        let good = head("[[20,1,2],[0,1,7]]")
        #expect(good?.changes.map(\.byteCount) == [2, 7])
        #expect(good.flatMap { NATSCommitHead($0.encoded) } == good)
        // Each has a piece of its own, and so has what they are changes of.
        for wrong in [
            "[[1,1,10]]", "[[1,1,-1]]", "[[1,0,1]]", "[[1,3,1]]", "[[1,1,1],[2,1,1],[3,1,1]]", "[null]", "[[1,1]]",
            "[1.5]",
            "5", "{}", "[]", "[[4611686018427387904,1,1]]", "[[1,1,5],[2,1,5]]",
        ] {
            #expect(head(wrong) == nil, "\(wrong)")
        }
    }

    @Test func piecesStandBeforeTheHead() throws {
        func pieces(_ first: String, _ changes: String, before revision: UInt64) -> [Range<UInt64>]? {
            let text = #"{"position":7,"input":"i",\#(first)"pieces":5,"bytes":9\#(changes)}"#
            return NATSCommitHead(Array(text.utf8))?.pieces(before: revision)
        }
        #expect(pieces("", "", before: 20) == [15..<20])
        #expect(pieces(#""first":3,"#, "", before: 20) == [3..<8])
        #expect(pieces(#""first":3,"#, #","changes":[[9,1,1],[0,2,1]]"#, before: 20) == [3..<5, 9..<10, 18..<20])
        #expect(pieces(#""first":3,"#, #","changes":[[4,1,1]]"#, before: 20) == nil)
        #expect(pieces(#""first":3,"#, #","changes":[[20,1,1]]"#, before: 20) == nil)
        #expect(pieces(#""first":18,"#, "", before: 20) == nil)
        #expect(pieces("", "", before: 5) == nil)
    }

    @Test(arguments: ["9223372036854775807", "17179869184", "-1"])
    func noStateHasAsManyBytes(count: String) {
        #expect(NATSCommitHead(Array(#"{"position":7,"input":"i","pieces":3,"bytes":\#(count)}"#.utf8)) == nil)
    }

    @Test func moreOrFewerPiecesThanABatchHasAreRefused() {
        #expect(head(pieces: "1000") != nil)
        #expect(head(pieces: "1001") == nil && head(pieces: "0") == nil)
    }
}
