internal import WeirCore
internal import WeirRecords

/// The status of a pipeline, for displays and metrics.
///
/// Thread safety: any thread; the pipeline updates it once per batch.
final class PipelineStatus: Sendable {
    /// What a pipeline is doing.
    enum Phase: Sendable, Hashable {
        case starting
        case running
        case waiting(until: Timestamp)
        case ended(ExitCode)

        /// The word for people and machines.
        var word: String {
            switch self {
            case .starting: "starting"
            case .running: "running"
            case .waiting: Self.waitingWord
            case .ended(.done), .ended(.inputRejected), .ended(.allRejected): "done"
            case .ended(.interrupted): "stopped"
            case .ended: Self.failedWord
            }
        }

        static let waitingWord = "waiting"
        static let failedWord = "failed"
    }

    /// What is known of a checkpoint.
    struct State: Sendable {
        /// When it was taken, on a clock that only goes on.
        let taken: Timestamp
        let byteCount: Int
        let nanoseconds: Int64
    }

    /// The numbers of a moment.
    struct Numbers: Sendable {
        var phase = Phase.starting
        var tally = Tally()
        var matches: UInt64 = 0
        var byteCount: Int64 = 0
        var pending = 0
        /// `nil` where no plugin says.
        var partialMatches: Int?
        var watermark: Timestamp?
        var delays = DelayHistogram()
        var restarts = 0
        var replacements = 0
        /// Partial matches that a change or a restart gave up.
        var abandonedPartialMatches: UInt64 = 0
        var lastError: String?
        var counts: [(name: String, value: UInt64)] = []
        /// The last checkpoint; `nil` where there is none.
        var state: State?

        /// How often the state could not be saved.
        var stateFailures: UInt64 = 0

        /// How many bytes journals keep, and how many they could not; `nil` without journals.
        var journals: (kept: Int64, lost: UInt64)?
        /// What a member of a group counts; `nil` for a run that works alone.
        var group: GroupNumbers?

        /// What the transports counted that could have lost something.
        var transports: [(name: String, metrics: TransportMetrics)] = []
    }

    /// The pipeline's name.
    let name: String

    /// What the transports of the current run count.
    private let meters = Locked<TransportMeters?>(nil)

    private let plugins = Locked<@Sendable () -> Int?>({ nil })

    private let state = Locked(Numbers())

    init(name: String) {
        self.name = name
    }

    /// The numbers now.
    var numbers: Numbers {
        var numbers = state.withLock { $0 }
        numbers.partialMatches = plugins.withLock { $0 }()
        numbers.transports = meters.withLock { $0 }?.metrics ?? []
        return numbers
    }

    /// Looks at the transports of a new run.
    func watch(_ new: TransportMeters) {
        meters.withLock { $0 = new }
    }

    /// From now on asks the plugins of a new run how many partial matches they hold.
    func ask(_ partialMatches: @escaping @Sendable () -> Int?) {
        plugins.withLock { $0 = partialMatches }
    }

    /// Changes the numbers.
    func update(_ body: (inout Numbers) -> Void) {
        state.withLock { body(&$0) }
    }
}

/// Counts durations in steps of a quarter of a power of two, so that a share of them is known to a fifth.
struct DelayHistogram: Sendable {
    private static let stepsPerPower = 4
    private var counts = [UInt64](repeating: 0, count: 64 * stepsPerPower)
    private(set) var total: UInt64 = 0

    /// All durations together, in nanoseconds.
    private(set) var sum: Int64 = 0

    /// Counts a duration for each of `count` events.
    mutating func add(nanoseconds: Int64, count: Int) {
        guard count > 0 else { return }
        counts[Self.step(of: max(1, nanoseconds))] += UInt64(count)
        total += UInt64(count)
        sum &+= nanoseconds &* Int64(count)
    }

    private static func step(of nanoseconds: Int64) -> Int {
        let power = 63 - nanoseconds.leadingZeroBitCount
        let quarter = power < 2 ? 0 : Int(nanoseconds >> (power - 2)) & 3
        return power * stepsPerPower + quarter
    }

    /// The duration that a share of all does not exceed, in nanoseconds; zero where there are none.
    func quantile(_ share: Double) -> Int64 {
        let rank = max(1, UInt64((Double(total) * share).rounded(.up)))
        var seen: UInt64 = 0
        for (step, count) in counts.enumerated() where count > 0 {
            seen += count
            guard seen >= rank else { continue }
            let power = min(60, step / Self.stepsPerPower)
            let quarter = Int64(step % Self.stepsPerPower)
            return (Int64(1) << power) + ((quarter + 1) << max(0, power - 2)) - 1
        }
        return 0
    }
}
