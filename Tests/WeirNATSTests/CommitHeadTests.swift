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
        #expect(head("[2,7]")?.changes == [2, 7])
        #expect(head("[2,7]").flatMap { NATSCommitHead($0.encoded) } == head("[2,7]"))
        // Each has a piece of its own, and so has what they are changes of.
        for wrong in ["[10]", "[-1]", "[1,1,1]", "[null]", "[1.5]", "5", "{}", "[]"] {
            #expect(head(wrong) == nil, "\(wrong)")
        }
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
