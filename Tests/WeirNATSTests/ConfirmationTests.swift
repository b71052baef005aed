import Testing
import WeirCore
import WeirTesting

@testable import WeirNATS
@testable import WeirSockets

/// Confirmations that are known by their bytes, and the window that they settle.
@Suite struct ConfirmationTests {
    private static let receipt = #"{"stream":"S","seq":41}"#

    private static func form(_ receipt: String = receipt) -> NATSConfirmationForm {
        var form = NATSConfirmationForm(inbox: "_INBOX.x", subscription: 1)
        form.note(Array(receipt.utf8)[...])
        return form
    }

    private static func message(_ payload: String, _ number: String = "7", subscription: String = "1") -> String {
        "MSG _INBOX.x.\(number) \(subscription) \(payload.utf8.count)\r\n\(payload)\r\n"
    }

    /// The numbers of the confirmations at the start of a text, and how many bytes these have.
    private static func read(_ text: String, _ form: NATSConfirmationForm) -> (numbers: [UInt64], length: Int) {
        var numbers: [UInt64] = []
        let length = unsafe Array(text.utf8).withUnsafeBufferPointer { unsafe form.read($0) { numbers.append($0) } }
        return (numbers, length)
    }

    @Test func whatSaysTheSameOfAnotherMessageIsAConfirmation() {
        let two = Self.message(#"{"stream":"S","seq":1}"#, "0") + Self.message(#"{"stream":"S","seq":99}"#, "123456789")
        let found = Self.read(two + "PING\r\n", Self.form())
        #expect(found.numbers == [0, 123_456_789] && found.length == two.utf8.count)
        // Cut anywhere, each is one when it is whole.
        for count in 0..<two.utf8.count {
            let cut = Self.read(String(decoding: two.utf8.prefix(count), as: UTF8.self), Self.form())
            #expect(cut.numbers == (cut.length == 0 ? [] : [0]), "\(count) bytes")
        }
        #expect(Self.read(two, NATSConfirmationForm(inbox: "_INBOX.x", subscription: 1)).length == 0)
        let hub = #"{"stream":"S", "domain":"hub", "seq":"#
        #expect(Self.read(Self.message(hub + "8}"), Self.form(hub + "7}")).numbers == [7])
    }

    @Test(arguments: [
        message(#"{"stream":"S","seq":1,"duplicate": true}"#), message(#"{"stream":"S","seq":}"#),
        message(#"{"stream":"S","seq":-1}"#), message(#"{"stream":"S","seq":1}}"#), message(#"{"stream":"S","seq":1"#),
        message(#"{"stream":"S","seq":1,"error":{"code":503}}"#), message(#"{"stream":"T","seq":1}"#),
        message(#"{"stream":"S","seq":1234567890123456789}"#), message(#"{"error":{"code":503},"stream":"S","seq":0}"#),
        message(#"{"stream":"S","seq":1}"#, "stream"), message(#"{"stream":"S","seq":1}"#, ""),
        message(#"{"stream":"S","seq":1}"#, "1234567890123456789"), message(#"{"stream":"S","seq":1}"#, "7.8"),
        message(#"{"stream":"S","seq":1}"#, subscription: "2"),
        message(#"{"stream":"S","seq":1}"#, subscription: "1 r"),
        message(""), "MSG _INBOX.x.7 1 23\r\n{\"stream\":\"S\",\"seq\":1}\r\n",
        "MSG _INBOX.x.7 1 21\r\n{\"stream\":\"S\",\"seq\":1}\r\n",
        "MSG _INBOX.x.7 1 22\r\n{\"stream\":\"S\",\"seq\":1}\n\r",
        "MSG _INBOX.x.7 1 22\r{\"stream\":\"S\",\"seq\":1}\r\n",
        "msg _INBOX.x.7 1 22\r\n{\"stream\":\"S\",\"seq\":1}\r\n",
        "HMSG _INBOX.x.7 1 0 22\r\n{\"stream\":\"S\",\"seq\":1}\r\n",
        "MSG _INBOX.y.7 1 22\r\n{\"stream\":\"S\",\"seq\":1}\r\n",
        "MSG _INBOX.x.7 1 999999999999999999\r\n{\"stream\":\"S\",\"seq\":1}\r\n",
    ])
    func anythingElseIsLeftToBeRead(text: String) {
        #expect(Self.read(text, Self.form()).length == 0)
    }

    @Test(arguments: ["", "}", "{}", #"{"seq":1"#, #"{"seq":x}"#]) func whatHasNoNumberAtItsEndIsNoForm(payload: String)
    {
        #expect(Self.read(Self.message(payload), Self.form(payload)).length == 0)
    }

    /// The confirmations that are taken, and the other messages, are those that a parser finds, however the bytes are cut.
    @Test func confirmationsAreThoseAmongAllMessages() {
        for seed in 0..<500 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let texts = (0..<Int.random(in: 1...20, using: &generator)).map { number -> String in
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: "PING\r\n"
                case 1: Self.message(#"{"stream":"S","seq":1,"duplicate": true}"#, "\(number)")
                case 2: Self.message(#"{"error":{"code":503}}"#, "\(number)")
                default:
                    Self.message(
                        #"{"stream":"S","seq":\#(UInt32.random(in: 0...1200, using: &generator))}"#,
                        "\(number)"
                    )
                }
            }
            let bytes = Array(texts.joined().utf8)
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(rest.count, 120), using: &generator)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(Self.subjects(pieces, Self.form()) == Self.subjects([bytes], nil), "seed \(seed)")
        }
    }

    private static func subjects(_ pieces: [[UInt8]], _ form: NATSConfirmationForm?) -> [String] {
        var parser = NATSParser()
        var subjects: [String] = []
        for piece in pieces {
            unsafe piece.withUnsafeBytes { unsafe parser.append($0) }
            while true {
                if let form { parser.takeConfirmations(form) { subjects.append("_INBOX.x.\($0)") } }
                guard let frame = try? parser.next() else { break }
                guard case .message(let message) = frame else { continue }
                subjects.append(String(decoding: parser.bytes[message.subject], as: UTF8.self))
            }
        }
        return subjects
    }

    @Test func theWindowKnowsWhatBecameOfEachMessage() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let capacity = Int.random(in: 1...9, using: &generator)
            var window = MessageWindow(capacity: capacity)
            var messages: [(deadline: Moment, outcome: MessageWindow.Outcome?)] = []
            var first: UInt64 = 0
            for step in 0..<100 as Range<Int64> {
                switch Int.random(in: 0..<5, using: &generator) {
                case 0, 1:
                    let more = Int.random(in: 0...capacity - messages.count, using: &generator)
                    window.append(more, deadline: Moment(nanoseconds: step))
                    for _ in 0..<more { messages.append((Moment(nanoseconds: step), nil)) }
                case 2:
                    let number = first + UInt64.random(in: 0...UInt64(capacity), using: &generator)
                    window.note(number, .refused)
                    if number - first < UInt64(messages.count) { messages[Int(number - first)].outcome = .refused }
                case 3 where !messages.isEmpty:
                    window.removeFirst()
                    messages.removeFirst()
                    first += 1
                case 4 where messages.isEmpty:
                    window.skip()
                    first += 1
                case 4 where step % 7 == 0:
                    window.removeAll()
                    messages = []
                default:
                    if first > 0 { window.note(first - 1, .kept) }
                }
                #expect(window.first == first && window.count == messages.count, "seed \(seed)")
                #expect(window.deadline == messages.first?.deadline && window.outcome == messages.first?.outcome)
            }
        }
    }
}
