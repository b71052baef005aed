internal import CommonStream
internal import WeirAggregates
internal import WeirCore
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
    static let all: [(name: String, attach: @Sendable (EventChannel<StreamEvent>, TallyResult) -> Void)] = [
        (
            "pipeline",
            { channel, result in
                channel.filter { $0.value > 0.5 }.hopping(.seconds(10), every: .seconds(1)).max(of: \.value)
                    .attach(TallySink(result))
            }
        ),
        (
            "pattern",
            { channel, result in
                channel.matches(of: HotPath.abc, PatternSettings(strategy: .compact, reportsTimeouts: false))
                    .map { Double($0.2.key) }
                    .attach(TallySink(result))
            }
        ),
    ]

    /// Runs the common stream through some work.
    ///
    /// - Parameters:
    ///   - attach: Builds the work.
    ///   - counts: After how many events the memory is looked at, in rising order.
    /// - Returns: The resident memory at each, in KiB; `nil` where the system does not tell.
    static func run(
        _ attach: (EventChannel<StreamEvent>, TallyResult) -> Void,
        lookingAfter counts: [Int]
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
                channel.publish(contentsOf: batch.span)
                channel.advance(to: batch[batch.count - 1].timestamp)
                done += batch.count
            }
            guard let size = kibibytes else { return nil }
            sizes.append(size)
        }
        channel.finish()
        return result.tally.count > 0 ? sizes : nil
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
