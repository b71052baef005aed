import Foundation
import Hummingbird
import Logging
import Metrics
import MetricsTestKit
import NIOCore
import NIOEmbedded
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing
import Weir
import WeirFoundation

@testable import Beside

/// A log that tests can read.
private struct ListedLog: LogHandler {
    let lines: Lines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    final class Lines: Sendable {
        private let texts = Locked<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        lines.add("\(event.level) \(event.message) " + details.joined(separator: " "))
    }
}

/// A clock that a sleep moves, so that no sleep takes time.
private final class QuickClock: Clock {
    struct Instant: InstantProtocol {
        let offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = Locked(Instant(offset: .zero))
    var now: Instant { time.withLock { $0 } }
    let minimumResolution = Duration.nanoseconds(1)

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct BesideTests {
    private let lines = ListedLog.Lines()
    private var logger: Logger { Logger(label: "test") { [lines] _ in ListedLog(lines: lines) } }

    private func reading(_ seconds: Int64, _ celsius: Double) -> Reading {
        Reading(timestamp: Timestamp(secondsSinceEpoch: seconds), sensor: "a", celsius: celsius)
    }

    @Test func aGroupThatShutsDownHandlesWhatIsPending() async throws {
        let bus = EventBus()
        let processor = EventProcessor(name: "service", bus: bus)
        let handled = Locked(0)
        processor.on(Reading.self) { _, _ in handled.withLock { $0 += 1 } }
        for second in 0..<500 { bus.queue(reading(Int64(second), 20)) }
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await ProcessorService(processor: processor).run()
        }
        #expect(handled.withLock { $0 } == 500)
    }

    @Test func aGroupRunsUntilItsInputHasEnded() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).csv").path
        try "timestamp,sensor,celsius\n1000,a,20\n2000,a,95\n".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let readings = EventChannel<Reading>()
        let subscription = logAlarms(readings, to: logger)
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(
                        service: ReadingService(readings: readings, input: .file(path)),
                        successTerminationBehavior: .gracefullyShutdownGroup
                    )
                ],
                logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        try await group.run()
        #expect(lines.all == ["warning too hot at=1970-01-01T00:00:02Z celsius=95.0 sensor=a"])
        subscription.cancel()
    }

    @Test func aGraphEndsWhenItsGroupShutsDown() async throws {
        let graph = Source<Int, Void>.never().via(.killSwitch(), keeping: { $1 }).to(.ignoring()) { ($0, $1) }
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await GraphService(graph: graph).run()
        }
    }

    @Test func aBackendGetsWhatHasChanged() async throws {
        let backend = TestMetrics()
        let readings = EventChannel<Reading>()
        withMetricsFactory(backend) {
            var bridge = MetricsBridge()
            for count in [3, 0, 4] {
                for _ in 0..<count { readings.publish(reading(0, 1)) }
                bridge.record(readings.metrics.samples(["channel": "readings"]))
            }
        }
        let published = try backend.expectCounter("weir_channel_published_total", [("channel", "readings")])
        #expect(published.values == [3, 0, 4])
        let waiting = try backend.expectGauge("weir_channel_waiting", [("channel", "readings")])
        #expect(waiting.lastValue == 0)
    }

    @Test func theLastSnapshotIsTakenAtTheEnd() async throws {
        let snapshots = Locked(0)
        let service = MetricsService(interval: .seconds(3600)) {
            snapshots.withLock { $0 += 1 }
            return []
        }
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup { group in
                group.addTask { try await service.run() }
                while snapshots.withLock({ $0 }) == 0 { await Task.yield() }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        #expect(snapshots.withLock { $0 } == 2)
    }

    @Test func snapshotsAreTakenAtIntervals() async throws {
        let clock = QuickClock()
        let times = Locked<[Duration]>([])
        try await testGracefulShutdown { trigger in
            let service = MetricsService(interval: .seconds(60), clock: clock) {
                let count = times.withLock { times in
                    times.append(clock.now.offset)
                    return times.count
                }
                if count == 3 { trigger.triggerGracefulShutdown() }
                return []
            }
            try await service.run()
        }
        #expect(times.withLock { $0.prefix(3) } == [.zero, .seconds(60), .seconds(120)])
        #expect(times.withLock { $0.count } == 4)
    }

    @Test func linesThatAreCutIntoBuffersBecomeEvents() throws {
        let readings = EventChannel<Reading>()
        let received = Locked<[Reading]>([])
        readings.subscribe { reading in received.withLock { $0.append(reading) } }
        let connection = EmbeddedChannel(handler: LineHandler(publishingInto: readings, logger: logger))
        for piece in [#"{"timestamp":1000,"sens"#, "or\":\"a\",\"celsius\":2", "0}\nbad\n", #"{"timestamp":2000,"#] {
            try connection.writeInbound(ByteBuffer(string: piece))
        }
        try connection.writeInbound(ByteBuffer(string: #""sensor":"a","celsius":21}"#))
        #expect(received.withLock { $0 } == [reading(1, 20)])
        _ = try connection.finish()
        #expect(received.withLock { $0 } == [reading(1, 20), reading(2, 21)])
        #expect(lines.all.count == 1 && lines.all[0].hasPrefix("notice rejected line=2"))
    }

    @Test func aServerTakesReadings() async throws {
        let readings = EventChannel<Reading>()
        let responder = makeRouter(publishingInto: readings).buildResponder()
        func respond(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") async throws -> Response {
            let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger)
            let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
            return try await responder.respond(to: request, context: BasicRequestContext(source: source))
        }
        for celsius in [20.0, 30, 25] {
            let body = #"{"timestamp":"2024-06-08T16:05:00Z","sensor":"a","celsius":\#(celsius)}"#
            #expect(try await respond(.post, "/readings", body).status == .accepted)
        }
        let answer = AnswerWriter()
        try await respond(.get, "/highest").body.write(answer)
        #expect(answer.lines.all == ["30.0"])
        #expect(try await respond(.post, "/readings", "{}").status == .badRequest)
        readings.finish()
        #expect(
            try await respond(.post, "/readings", #"{"timestamp":0,"sensor":"a","celsius":1}"#).status
                == .serviceUnavailable
        )
    }
}

/// What a server answers.
private struct AnswerWriter: ResponseBodyWriter {
    let lines = ListedLog.Lines()

    func write(_ buffer: ByteBuffer) async throws { lines.add(String(buffer: buffer)) }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
