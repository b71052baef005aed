import WeirCore

@testable import WeirNATS
@testable import WeirSockets

/// What a server of NATS sends: it is the same however it is cut, and is read or refused.
func checkServer(_ input: inout Input) {
    let step = Int(input.byte()) + 1
    let bytes = Array(input.rest)
    let whole = words(of: [bytes])
    let pieces = stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<min($0 + step, bytes.count)]) }
    let cut = words(of: pieces)
    require(whole == cut, "cut into pieces of \(step) bytes it says something else")
    var conversation = NATSConversation(NATSSettings(), now: Moment(nanoseconds: 0))
    unsafe bytes.withUnsafeBytes { unsafe conversation.take($0, now: Moment(nanoseconds: 1)) }
    while (try? conversation.next(now: Moment(nanoseconds: 2))) ?? nil != nil {}
    guard let headers = NATSHeaders(bytes), let again = try? NATSHeaders(headers.fields).encoded() else { return }
    require(headers.fields.isEmpty || NATSHeaders(again)?.fields == headers.fields, "headers that are read otherwise")
}

/// The operations among some bytes, and at the end `false` where something is none.
private func words(of pieces: [[UInt8]]) -> [String] {
    var parser = NATSParser()
    var words: [String] = []
    for piece in pieces {
        unsafe piece.withUnsafeBytes { unsafe parser.append($0) }
        do throws(NATSError) {
            while let frame = try parser.next() {
                guard case .message(let message) = frame else {
                    words.append("other")
                    continue
                }
                let text = Array(parser.bytes[message.headers.lowerBound..<message.payload.upperBound])
                words.append("\(message.subscription) \(message.headers.count) \(text)")
            }
        } catch {
            return words + ["false"]
        }
    }
    return words
}
