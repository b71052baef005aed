internal import CommonStream
internal import Synchronization
internal import WeirAggregates
internal import WeirCore
internal import WeirDispatch
internal import WeirPatterns
internal import WeirSelection
internal import WeirWindows

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The memory of the process while a stream runs on: what a pipeline keeps must not grow with how much it has seen.
enum ResidentMemory {
    /// The work, by name.
    ///
    /// It runs the common stream, and returns the resident memory in KiB after each of `counts` events, which rise;
    /// `nil` where the system does not tell.
    static let all: [(name: String, run: @Sendable (_ counts: [Int]) throws -> [Int]?)] = [
        (
            "pipeline",
            { counts in
                operators(counts) { channel, result in
                    channel.filter { $0.value > 0.5 }.hopping(.seconds(10), every: .seconds(1)).max(of: \.value)
                        .attach(TallySink(result))
                }
            }
        ),
        (
            "pattern",
            { counts in
                operators(counts) { channel, result in
                    channel.matches(of: HotPath.abc, PatternSettings(strategy: .compact, reportsTimeouts: false))
                        .map { Double($0.2.key) }
                        .attach(TallySink(result))
                }
            }
        ),
        ("dispatch", { counts in try dispatch(counts) }),
    ]

    /// Through a channel in batches, each followed by a watermark.
    private static func operators(
        _ counts: [Int],
        _ attach: (EventChannel<StreamEvent>, TallyResult) -> Void
    ) -> [Int]? {
        let channel = EventChannel<StreamEvent>()
        let result = TallyResult()
        attach(channel, result)
        var generator = CommonStream.Generator()
        var batch = Array(repeating: StreamEvent(timestamp: .distantPast, key: 0, type: 0, value: 0), count: 250)
        var done = 0
        var sizes: [Int] = []
        for count in counts {
            while done < count {
                for index in batch.indices { batch[index] = generator.next() }
                channel.publish(contentsOf: batch)
                channel.advance(to: batch[batch.count - 1].timestamp)
                done += batch.count
            }
            guard let size = kibibytes else { return nil }
            sizes.append(size)
        }
        channel.finish()
        return result.tally.count > 0 ? sizes : nil
    }

    /// Through a bus to a processor on a thread of its own.
    private static func dispatch(_ counts: [Int]) throws -> [Int]? {
        let bus = EventBus()
        let processor = EventProcessor(name: "memory", capacity: 4096, bus: bus)
        let handled = Handled()
        processor.on(StreamEvent.self) { _, _ in handled.count.wrappingAdd(1, ordering: .releasing) }
        try processor.start()
        defer { processor.stop() }
        var generator = CommonStream.Generator()
        var done = 0
        var sizes: [Int] = []
        for count in counts {
            while done < count {
                bus.queue(generator.next())
                done += 1
            }
            while handled.count.load(ordering: .acquiring) < count { sched_yield() }
            guard let size = kibibytes else { return nil }
            sizes.append(size)
        }
        return sizes
    }

    private final class Handled: Sendable {
        let count = Atomic<Int>(0)
    }

    private static var kibibytes: Int? {
        #if os(Linux)
            let file = open("/proc/self/statm", O_RDONLY)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var text = [UInt8](repeating: 0, count: 128)
            let count = read(file, &text, text.count)
            // The second number: pages that are resident.
            let numbers = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
            return numbers.count > 1 ? Int(numbers[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) / 1024 } : nil
        #else
            return nil
        #endif
    }
}
