internal import CommandWorkloads
internal import Comparing
internal import DispatchWorkloads
internal import FormatWorkloads
internal import OperatorWorkloads
internal import PatternWorkloads
internal import PipelineWorkloads
internal import QueryWorkloads
internal import ReactiveWorkloads
internal import Reporting
internal import RingWorkloads
internal import TransportWorkloads

/// One suite, in a process of its own.
struct SuiteRun {
    /// The suites, in the order in which they run.
    static let suites =
        [
            PipelineWorkloads.suite, OperatorWorkloads.suite, PatternWorkloads.suite, QueryWorkloads.suite,
            RingWorkloads.suite, DispatchWorkloads.suite, ReactiveWorkloads.suite, scaling, FormatWorkloads.suite,
            TransportWorkloads.suite, CommandWorkloads.suite, Checkpoints.suite,
        ] + (NATSWorkloads.isPossible ? [NATSWorkloads.suite] : [])

    /// What is left out, and why.
    static let leftOut = NATSWorkloads.isPossible ? nil : "the suite nats is left out: \(NATSWorkloads.whyNot)"

    /// The cost of an event as something grows: the picture.
    private static let scaling = Suite(
        "scaling",
        OperatorWorkloads.scaling + PatternWorkloads.scaling + DispatchWorkloads.scaling
    )

    private static let command = "measure"
    private let suite: String
    private let rounds: Int
    private let warmsUp: Bool
    private let seconds: Double?

    /// Names a suite to run.
    ///
    /// - Parameters:
    ///   - suite: Its name.
    ///   - rounds: How many rounds at most.
    ///   - warmsUp: Whether a round goes before them that does not count.
    ///   - time: How long it may take; it takes longer when that is not enough for one round.
    init(_ suite: String, rounds: Int, warmsUp: Bool, time: Duration?) {
        self.suite = suite
        self.rounds = rounds
        self.warmsUp = warmsUp
        seconds = time.map { $0 / .seconds(1) }
    }

    /// Reads what ``arguments`` has made; `nil` for other arguments.
    init?(_ arguments: [String]) {
        guard arguments.count == 6, arguments[1] == Self.command, let rounds = Int(arguments[3]) else { return nil }
        (suite, self.rounds, warmsUp, seconds) = (arguments[2], rounds, arguments[4] == "warm", Double(arguments[5]))
    }

    var arguments: [String] {
        [Self.command, suite, "\(rounds)", warmsUp ? "warm" : "cold", seconds.map { "\($0)" } ?? "unlimited"]
    }

    func run() throws -> [Row] {
        guard let suite = Self.suites.first(where: { $0.name == suite }) else {
            throw ArgumentError(description: "there is no suite '\(suite)'")
        }
        let started = ContinuousClock.now
        let deadline = seconds.map { started + .seconds($0) }
        let comparisons = try suite.compare(rounds: rounds, warmsUp: warmsUp, until: deadline) { round, last in
            let name = round == 0 ? "warming up" : "round \(round) of \(deadline == nil ? "" : "at most ")\(rounds)"
            let took = last.map { "; the last took \(Self.seconds($0)) s" } ?? ""
            let left = deadline.map { "; \(Self.seconds(max(.zero, ContinuousClock.now.duration(to: $0)))) s left" }
            Compare.tell("\(suite.name): \(name)\(took)\(left ?? "")")
        }
        return Row.rows(of: comparisons, in: suite.name)
    }

    private static func seconds(_ duration: Duration) -> Int { Int((duration / .seconds(1)).rounded()) }
}
