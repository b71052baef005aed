import Testing

@testable import WeirSockets

/// Where the bodies of requests end, as every other program that reads them finds it.
@Suite struct HTTPFramingTests {
    /// Reads a body in pieces; `nil` where it is refused.
    private func body(_ text: String, pieces: Int) -> (content: String, isWhole: Bool, rest: Int)? {
        var reader = HTTPBodyReader(.chunked)
        var content: [UInt8] = []
        var rest = Array(text.utf8)[...]
        do throws(HTTPFlaw) {
            while !rest.isEmpty, !reader.isWhole {
                let count = try reader.read(rest.prefix(pieces), into: &content)
                rest = rest.dropFirst(count)
            }
        } catch {
            return nil
        }
        return (String(decoding: content, as: UTF8.self), reader.isWhole, rest.count)
    }

    @Test(arguments: [1, 2, 3, 100]) func takesChunks(pieces: Int) throws {
        for text in [
            "4\r\nfour\r\n0\r\n\r\n", "004;a=b;c=\"d\"\r\nfour\r\n00\r\nField: x\r\nOther:\ty\r\n\r\n",
            "4 \r\nfour\r\n0\r\n\r\n", "2\r\nfo\r\n2 \t;x\r\nur\r\n0;y\r\n\r\n",
        ] {
            let found = try #require(body(text + "next", pieces: pieces), "\(text.debugDescription)")
            #expect(found.content == "four" && found.isWhole && found.rest == 4, "\(text.debugDescription)")
        }
        #expect(try #require(body("A\r\n0123456789\r\n0\r\n", pieces: pieces)).isWhole == false)
    }

    @Test(arguments: [
        "4\rzzz\nfour\r\n0\r\n\r\n", "4\nfour\r\n0\r\n\r\n", "4\r\rfour", "4 4\r\nfour", "4 x\r\nfour", "\r\n",
        ";x\r\n", " 4\r\n", "4;x\ny\r\n", "4;x\u{0}\r\n", "4\r\nfour\n", "4\r\nfour\r\n0\n\r\n", "0\r\n\n",
        "0\r\nField: x\n\r\n",
        "0\r\n\rx\r\n", "0\r\nField: x\ry\r\n\r\n", "0x4\r\n", "+4\r\n", "1000000000000000\r\n",
    ])
    func refusesWhatCanBeReadInTwoWays(text: String) {
        for pieces in [1, 2, 3, 100] { #expect(body(text, pieces: pieces) == nil, "pieces of \(pieces)") }
    }

    @Test(arguments: [
        ("Content-Length: 12", 12), ("Content-Length: \t12 \t", 12), ("Content-Length: 12, 12", 12),
        ("Content-Length: 1 2", nil), ("Content-Length: 1\t2", nil), ("Content-Length: 12,", nil),
        ("Content-Length:", nil),
        ("Content-Length: +1", nil), ("Content-Length: 12, 13", nil),
    ])
    func readsLengths(field: String, length: Int?) throws {
        let head = try HTTPHead(Array("POST / HTTP/1.1\r\n\(field)\r\n\r\n".utf8)[...])
        #expect((try? head.bodyLength()) == length.map { .fixed($0) })
    }

    @Test func aWordOfAListIsAllBetweenCommas() throws {
        let head = try HTTPHead(Array("POST / HTTP/1.1\r\nConnection: x,\tClose , keep-alive y\r\n\r\n".utf8)[...])
        #expect(head.list("connection", has: "close") && !head.list("connection", has: "keep-alive"))
    }
}
