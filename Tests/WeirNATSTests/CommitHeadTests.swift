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
        for wrong in ["[10]", "[-1]", "[1,1,1,1]", "[null]", "[1.5]"] { #expect(head(wrong) == nil, "\(wrong)") }
    }

    @Test func moreOrFewerPiecesThanABatchHasAreRefused() {
        #expect(head(pieces: "1000") != nil)
        #expect(head(pieces: "1001") == nil && head(pieces: "0") == nil)
    }
}
