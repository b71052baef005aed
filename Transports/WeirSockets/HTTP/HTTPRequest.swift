internal import WeirCore

/// What a request asks for, as far as its head says.
struct HTTPRequest {
    let bodyLength: HTTPHead.BodyLength

    /// Whether the other side waits for a word before it sends the body.
    let expectsContinue: Bool

    /// Whether the connection is to be kept.
    let keepsConnection: Bool

    /// Whether the body is JSON, and not lines or frames.
    let isJSON: Bool

    /// What requests may be.
    struct Rules: Sendable {
        var path = "/"
        var bodyLimit = 1 << 20
    }

    /// Reads the head of a request.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - rules: What may be asked for.
    /// - Throws: ``HTTPFlaw`` with the status of the answer for everything else.
    init(_ head: HTTPHead, _ rules: Rules) throws(HTTPFlaw) {
        let words = head.firstLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(HTTPHead.isTokenByte), !words[1].isEmpty else {
            throw HTTPFlaw(400, "the first line is not 'POST PATH HTTP/1.1'")
        }
        let isOld = words[2].elementsEqual("HTTP/1.0".utf8)
        guard isOld || words[2].elementsEqual("HTTP/1.1".utf8) else {
            throw words[2].starts(with: "HTTP/".utf8)
                ? HTTPFlaw(505, "only HTTP/1.1 is spoken here")
                : HTTPFlaw(400, "the first line is not 'POST PATH HTTP/1.1'")
        }
        let hosts = head.values(of: "host")
        guard hosts.count == 1 || (isOld && hosts.isEmpty) else {
            throw HTTPFlaw(400, "there must be one field 'Host'")
        }
        guard Self.path(words[1]).elementsEqual(rules.path.utf8) else {
            throw HTTPFlaw(404, "there is nothing here but '\(rules.path)'")
        }
        guard words[0].elementsEqual("POST".utf8) else { throw HTTPFlaw(405, "only POST is possible here") }
        for coding in head.values(of: "content-encoding") where coding.lowercased() != "identity" {
            throw HTTPFlaw(415, "the body is compressed; send it as it is")
        }
        expectsContinue = !isOld && head.list("expect", has: "100-continue")
        guard expectsContinue || isOld || head.values(of: "expect").isEmpty else {
            throw HTTPFlaw(417, "Expect: only '100-continue' is known")
        }
        bodyLength = try head.bodyLength()
        switch bodyLength {
        case .notGiven: throw HTTPFlaw(411, "the length of the body is missing")
        case .chunked where isOld: throw HTTPFlaw(400, "HTTP/1.0 has no chunks")
        case .fixed(let count) where count > rules.bodyLimit: throw Self.tooLong(rules)
        case .fixed, .chunked: break
        }
        keepsConnection =
            isOld ? head.list("connection", has: "keep-alive") : !head.list("connection", has: "close")
        let type = head.values(of: "content-type").first.map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() } ?? ""
        isJSON = type == "application/json" || type.hasSuffix("+json")
    }

    /// What is said of a body that is longer than it may be.
    static func tooLong(_ rules: Rules) -> HTTPFlaw {
        HTTPFlaw(413, "the body is longer than \(rules.bodyLimit) bytes; 'max-body' permits more, or send it in parts")
    }

    /// The path of a target, without what stands behind a `?`, and without the host that a proxy may have left in front.
    private static func path(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = target
        if target.starts(with: "http://".utf8) {
            rest = target.dropFirst(7).drop { $0 != UInt8(ascii: "/") }
        }
        return rest.prefix { $0 != UInt8(ascii: "?") }
    }
}

/// An answer.
enum HTTPAnswer {
    /// What asks for the body of a request.
    static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Makes an answer with a body of JSON.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - json: The body, without a newline.
    ///   - closes: Whether the connection ends with it.
    /// - Returns: Its bytes.
    static func make(_ status: Int, _ json: String, closes: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(phrase(status))\r\nContent-Type: application/json\r\n"
        text += "Content-Length: \(json.utf8.count + 1)\r\n"
        if status == 405 { text += "Allow: POST\r\n" }
        if status == 503 { text += "Retry-After: 1\r\n" }
        if closes { text += "Connection: close\r\n" }
        return Array((text + "\r\n" + json + "\n").utf8)
    }

    private static func phrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Error"
        }
    }
}
