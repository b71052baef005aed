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

    @Test func moreOrFewerPiecesThanABatchHasAreRefused() {
        #expect(head(pieces: "1000") != nil)
        #expect(head(pieces: "1001") == nil && head(pieces: "0") == nil)
    }
}
