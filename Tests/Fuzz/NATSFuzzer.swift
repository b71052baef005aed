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
    require(
        subjects(of: pieces, taking: nil) == subjects(of: pieces, taking: form),
        "a confirmation that is known by its bytes is another message"
    )
    var conversation = NATSConversation(NATSSettings(), now: Moment(nanoseconds: 0))
    unsafe bytes.withUnsafeBytes { unsafe conversation.take($0, now: Moment(nanoseconds: 1)) }
    while (try? conversation.next(now: Moment(nanoseconds: 2))) ?? nil != nil {}
    checkJetStream(bytes)
    guard let headers = NATSHeaders(bytes), let again = try? NATSHeaders(headers.fields).encoded() else { return }
    require(headers.fields.isEmpty || NATSHeaders(again)?.fields == headers.fields, "headers that are read otherwise")
}

/// Confirmations as `_INBOX.x.7 1`, with the payload `{"stream":"S","seq":1}`.
private let form = {
    var form = NATSConfirmationForm(inbox: "_INBOX.x", subscription: 1)
    form.note(Array(#"{"stream":"S","seq":1}"#.utf8)[...])
    return form
}()

/// The subjects of the messages among some bytes; a number at the end as it is read.
private func subjects(of pieces: [[UInt8]], taking form: NATSConfirmationForm?) -> [String] {
    var parser = NATSParser()
    var subjects: [String] = []
    for piece in pieces {
        unsafe piece.withUnsafeBytes { unsafe parser.append($0) }
        while true {
            if let form { parser.takeConfirmations(form) { subjects.append("_INBOX.x. \($0)") } }
            guard let frame = try? parser.next() else { break }
            guard case .message(let message) = frame else { continue }
            let subject = parser.bytes[message.subject]
            let end = (subject.lastIndex(of: UInt8(ascii: ".")) ?? subject.startIndex - 1) + 1
            let number = Digits.number(subject[end...]).map { " \($0)" }
            subjects.append(
                "\(String(decoding: subject[..<end], as: UTF8.self))\(number ?? "\(Array(subject[end...]))")"
            )
        }
    }
    return subjects
}

/// What JetStream says of a message: where it stands, and whether it was kept.
private func checkJetStream(_ bytes: [UInt8]) {
    require(JetStreamPlace(bytes[...]) == place(bytes), "a place that is read otherwise")
    _ = NATSCommitHead(bytes)
    let answer = NATSMessage(subject: "", reply: nil, headers: NATSHeaders(bytes), payload: bytes)
    _ = try? JetStreamReceipt(answer)
    _ = try? NATSClient.stream(JetStreamAnswer(answer, to: "a stream"))
}

/// The place that a subject tells, token by token.
private func place(_ subject: [UInt8]) -> JetStreamPlace? {
    let tokens = subject.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard subject.starts(with: "$JS.ACK.".utf8), tokens.count == 9 || tokens.count >= 11 else { return nil }
    let first = tokens.count == 9 ? 5 : 7
    let numbers = tokens[first..<first + 4].compactMap { token in
        token.count <= 19 && token.allSatisfy { (0x30...0x39).contains($0) }
            ? UInt64(String(decoding: token, as: UTF8.self)) : nil
    }
    guard numbers.count == 4 else { return nil }
    return JetStreamPlace(numbers[0], numbers[1], pending: numbers[3])
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
                func text(_ range: Range<Int>) -> [UInt8] { Array(parser.bytes[range]) }
                let whole = text(message.headers.lowerBound..<message.payload.upperBound)
                let names = (text(message.subject), message.reply.map(text))
                words.append("\(names) \(message.subscription) \(message.headers.count) \(whole)")
            }
        } catch {
            return words + ["false"]
        }
    }
    return words
}
