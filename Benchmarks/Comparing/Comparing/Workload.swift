/// Something that is measured, and what it is measured against.
public struct Workload: Sendable {
    /// What must hold; whether it does depends on the machine, so missing a goal is no error.
    public enum Goal: Sendable {
        /// The cost is at most this many times that of the limit.
        case ratio(atMost: Double)
        /// The value, in the workload's unit, is at least this.
        case atLeast(Double)
        /// The value, in the workload's unit, is at most this.
        case atMost(Double)
    }

    /// What is measured, in a few words; no other workload of the suite has the same.
    public let name: String

    /// What the value counts.
    public let unit: Unit

    /// The name of the workload of the same suite that this one is divided by; `nil` for a limit.
    public let limit: String?

    /// What must hold, if anything must.
    public let goal: Goal?

    /// Whether this is another library's way of doing the work that `limit` names.
    public let isPeer: Bool

    /// Where the workload stands in a chart; `nil` for most.
    public let point: ChartPoint?

    /// Does the work once, throws ``WrongResult`` when something else came out than must, and returns its cost.
    public let run: @Sendable () throws -> Double

    /// Creates a workload.
    ///
    /// - Parameters:
    ///   - name: What is measured, in a few words.
    ///   - unit: What the value counts.
    ///   - limit: The name of the workload to divide by; it must come earlier in the suite.
    ///   - goal: What must hold.
    ///   - isPeer: Whether this is another library's way of doing the work that `limit` names.
    ///   - point: Where the workload stands in a chart, which shows nanoseconds per element.
    ///   - run: Does the work once and returns its cost: nanoseconds per element, or what the unit counts.
    public init(
        _ name: String,
        in unit: Unit,
        against limit: String? = nil,
        goal: Goal? = nil,
        isPeer: Bool = false,
        point: ChartPoint? = nil,
        run: @escaping @Sendable () throws -> Double
    ) {
        self.name = name
        self.unit = unit
        self.limit = limit
        self.goal = goal
        self.isPeer = isPeer
        self.point = point
        self.run = run
    }
}

/// Workloads of one area, which are run in turn.
public struct Suite: Sendable {
    /// The area: one word, lower case.
    public let name: String

    /// In the order in which they run; a limit comes before what is divided by it.
    public let workloads: [Workload]

    /// Makes what the workloads need, such as files.
    public let setUp: @Sendable () throws -> Void

    /// Removes what `setUp` made.
    public let tearDown: @Sendable () -> Void

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - name: The area: one word, lower case.
    ///   - workloads: In the order in which they run.
    ///   - setUp: Called once before the first workload.
    ///   - tearDown: Called once after the last workload.
    public init(
        _ name: String,
        _ workloads: [Workload],
        setUp: @escaping @Sendable () throws -> Void = {},
        tearDown: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.workloads = workloads
        self.setUp = setUp
        self.tearDown = tearDown
    }
}
