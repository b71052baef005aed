internal import CBench
public import Comparing
internal import Foundation
internal import Synchronization
internal import WeirCore
internal import WeirDispatch
internal import WeirFiles
internal import WeirRecords
internal import WeirSockets

/// Events over sockets of this machine to a filter and a count, beside reading the same bytes and looking at nothing.
public enum TransportWorkloads {
    private static let payload = Payload(lineCount: 6400)
    private static let streamLines = 3_200_000
    private static let datagrams = 640_000
    private static let linesPerDatagram = 20
    private static let packedDatagrams = 256_000
    private static let goalRate = 400_000.0

    private static let readStream = "Unix stream: read(2) into a buffer"
    private static let receive = "UDP: recvmmsg into nothing, 64 bytes"
    private static let receivePacked = "UDP: recvmmsg into nothing, 20 lines"
    private static let receiveTime = "recvmmsg, 64 bytes, processor time"
    private static let receivePackedTime = "recvmmsg, 20 lines, processor time"
    private static let countOne = "UDP, an event each → filter, count"
    private static let countPacked = "UDP, 20 events each → filter, count"
    private static let folder = FileManager.default.temporaryDirectory.path + "/weir-\(UUID().uuidString.prefix(8))"

    public static let suite = Suite(
        "transports",
        [
            Workload(readStream, in: .millionsPerSecond) { try readBytes() },
            Workload("Unix stream → filter, count", in: .millionsPerSecond, against: readStream, goal: .atLeast(1)) {
                try countStream()
            },
            Workload(receive, in: .millionsPerSecond) {
                try receiveDatagrams(datagrams, lines: 1)
            },
            Workload(
                "UDP, an event each → filter, count",
                in: .millionsPerSecond,
                against: receive,
                goal: .atLeast(0.4)
            ) {
                try countDatagrams(datagrams, lines: 1, rate: 0).cost
            },
            Workload("of these the kernel dropped", in: .plain("%")) { lastLoss.load(ordering: .relaxed).percent },
            Workload(receiveTime, in: .millionsPerSecond) { try receiverTimes.take(receive) },
            Workload(
                "UDP, an event each, processor time",
                in: .millionsPerSecond,
                against: receiveTime,
                goal: .atLeast(0.4)
            ) {
                try receiverTimes.take(countOne)
            },
            Workload("sent at 400,000 a second at most, the kernel dropped", in: .plain("%"), goal: .atMost(0)) {
                try countDatagrams(datagrams, lines: 1, rate: goalRate).loss
            },
            Workload(receivePacked, in: .millionsPerSecond) {
                try receiveDatagrams(packedDatagrams, lines: linesPerDatagram)
            },
            Workload(
                countPacked,
                in: .millionsPerSecond,
                against: receivePacked,
                goal: .atLeast(3)
            ) {
                try countDatagrams(packedDatagrams, lines: linesPerDatagram, rate: 0).cost
            },
            Workload(receivePackedTime, in: .millionsPerSecond) { try receiverTimes.take(receivePacked) },
            Workload(
                "UDP, 20 events each, processor time",
                in: .millionsPerSecond,
                against: receivePackedTime,
                goal: .atLeast(3)
            ) {
                try receiverTimes.take(countPacked)
            },
            Workload("of the 20 each the kernel dropped", in: .plain("%")) {
                lastLoss.load(ordering: .relaxed).percent
            },
        ],
        setUp: { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) },
        tearDown: { try? FileManager.default.removeItem(atPath: folder) }
    )

    /// The loss of the run before, in millionths: it stands beside the rate of the same run.
    private static let lastLoss = Atomic(0)

    /// The receiver's processor time in the last run, without the sender's and without the time in which another
    /// process had the processor.
    private static let receiverTimes = ReceiverTimes()

    // MARK: Streams

    private static func readBytes() throws -> Double {
        let path = folder + "/limit"
        let listener = cbench_listen(path)
        guard listener >= 0 else { throw MeasurementFailure("there is no socket") }
        defer {
            cbench_close(listener)
            try? FileManager.default.removeItem(atPath: path)
        }
        let sender = sendStream(to: path)
        return try nanoseconds(per: streamLines) {
            let count = cbench_read_stream(listener)
            sender.wait()
            guard count == streamLines * Payload.lineLength else { throw MeasurementFailure("\(count) bytes came") }
        }
    }

    private static func countStream() throws -> Double {
        let path = folder + "/stream"
        let source = try UnixTransport().openSource(path + "?accept=1")
        let counter = EventCounter()
        let sender = sendStream(to: path)
        return try nanoseconds(per: streamLines) {
            try counter.run(source)
            sender.wait()
            guard counter.events == streamLines, counter.matches == payload.matches(inFirst: streamLines) else {
                throw MeasurementFailure("\(counter.events) events came, \(counter.matches) matched")
            }
            guard let metrics = source.meter?.metrics, metrics.isBalanced, metrics.delivered == streamLines else {
                throw MeasurementFailure("the counts do not fit")
            }
        }
    }

    private static func sendStream(to path: String) -> Sender {
        Sender {
            let rounds = Int32(streamLines / payload.lineCount)
            return Int64(cbench_send_stream(path, payload.bytes, UInt64(payload.bytes.count), rounds))
        }
    }

    // MARK: Datagrams

    private static func receiveDatagrams(_ count: Int, lines: Int) throws -> Double {
        var port: UInt16 = 0
        let socket = cbench_open_port(8 << 20, &port)
        guard socket >= 0 else { throw MeasurementFailure("there is no port") }
        defer { cbench_close(socket) }
        let before = cbench_processor_time(0)
        let sender = sendDatagrams(to: port, count, lines: lines, rate: 0)
        var time: Int64 = 0
        let received = cbench_receive_datagrams(socket, &time)
        guard sender.wait() == count, received > 0 else { throw MeasurementFailure("\(received) datagrams came") }
        let used = cbench_processor_time(0) - before - sender.processorTime
        receiverTimes.keep(Double(used) / Double(Int(received) * lines), for: lines == 1 ? receive : receivePacked)
        return Double(time) / Double(Int(received) * lines)
    }

    /// Counts the events of datagrams.
    ///
    /// - Returns: Nanoseconds for each event that came, and how many of a hundred did not.
    private static func countDatagrams(_ count: Int, lines: Int, rate: Double) throws -> (cost: Double, loss: Double) {
        let interruption = try Interruption()
        // A port that is free: one that was in use a moment ago.
        var port: UInt16 = 0
        cbench_close(cbench_open_port(4096, &port))
        let source = try UDPTransport(interruption: interruption).openSource(
            "//127.0.0.1:\(port)?receive-buffer=8MiB&queue=64MiB&max-datagram=2048"
        )
        let counter = EventCounter()
        let before = cbench_processor_time(0)
        let start = cbench_now()
        let sender = sendDatagrams(to: port, count, lines: lines, rate: rate) { interruption.trigger() }
        try counter.run(source)
        let time = cbench_now() - start
        let sent = sender.wait()
        let used = cbench_processor_time(0) - before - sender.processorTime
        guard let metrics = source.meter?.metrics else { throw MeasurementFailure("nothing was counted") }
        // Nothing is lost but what the kernel says that it dropped, and what was not read yet when the sender was done
        // and interrupted the source.
        guard sent == count, metrics.isBalanced, metrics.sent == UInt64(count),
            metrics.dropped == metrics[.kernel] + metrics[.unread],
            metrics.delivered * UInt64(lines) == UInt64(counter.events)
        else { throw MeasurementFailure("\(sent) were sent, and \(metrics)") }
        let loss = 100 * Double(metrics[.kernel]) / Double(count)
        if rate == 0 {
            receiverTimes.keep(Double(used) / Double(counter.events), for: lines == 1 ? countOne : countPacked)
        }
        lastLoss.store(Int(loss * 1e6), ordering: .relaxed)
        return (Double(time) / Double(counter.events), loss)
    }

    private static func sendDatagrams(
        to port: UInt16,
        _ count: Int,
        lines: Int,
        rate: Double,
        then done: @escaping @Sendable () -> Void = {}
    ) -> Sender {
        Sender {
            let length = lines * Payload.lineLength
            let kinds = Int32(payload.lineCount / lines)
            let sent = cbench_send_datagrams(port, payload.bytes, UInt32(length), kinds, Int64(count), rate)
            done()
            return sent
        }
    }
}

extension Int {
    /// Millionths of a hundredth as a number to print.
    fileprivate var percent: Double { Double(self) / 1e6 }
}

/// A thread that sends while this one receives.
final class Sender: Sendable {
    private let result = Atomic<Int64>(0)
    private let time = Atomic<Int64>(0)
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Int64) {
        Thread { [self] in
            let before = cbench_processor_time(1)
            let value = body()
            time.store(cbench_processor_time(1) - before, ordering: .relaxed)
            result.store(value, ordering: .releasing)
            done.signal()
        }.start()
    }

    /// The processor time that it took, in nanoseconds; known at its end.
    var processorTime: Int64 { time.load(ordering: .relaxed) }

    /// Waits for its end.
    @discardableResult
    func wait() -> Int {
        done.wait()
        done.signal()
        return Int(result.load(ordering: .acquiring))
    }
}

/// What one workload measured beside its own figure, for a row of its own.
private final class ReceiverTimes: Sendable {
    private let times = Mutex<[String: Double]>([:])

    func keep(_ time: Double, for name: String) { times.withLock { $0[name] = time } }

    /// What was kept.
    ///
    /// - Throws: ``MeasurementFailure`` where that workload did not succeed.
    func take(_ name: String) throws -> Double {
        guard let time = times.withLock({ $0[name] }) else { throw MeasurementFailure("'\(name)' gave no time") }
        return time
    }
}
