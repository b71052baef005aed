internal import WeirCore
internal import WeirRecords

/// A pipeline that `weir run` is to run: understood and checked as far as that goes without opening anything.
struct RunRequest: Sendable {
    /// Where records come from.
    enum Source: Sendable {
        case demo(seed: UInt64)
        case address(Address)

        var isDemo: Bool { if case .demo = self { true } else { false } }
    }

    /// An input, and how it is written.
    struct Input: Sendable {
        let source: Source
        var format: any Format

        /// Whether the command line, or the ending of a file, says how it is written.
        var isFormatKnown = true

        /// Whether its first line can be waited for: it has lines.
        var hasFirstLine = false

        /// Whether it may be silent for a while and then go on: a socket, or a file that is followed.
        var isLive: Bool {
            guard case .address(let address) = source else { return false }
            return address.isLive
        }

        /// Whether it may keep one waiting though it is not live, as a pipe may.
        var isStream: Bool {
            guard case .address(let address) = source else { return false }
            return address.stream != nil || !address.isFile && !address.isRecording
        }

        /// What to call it in messages.
        var name: String {
            switch source {
            case .demo: "demo"
            case .address(let address): address.name
            }
        }
    }

    /// What was said about times that lie ahead.
    enum AheadChoice: Sendable, Hashable {
        /// Live inputs have the default limit, others none.
        case usual
        case none
        case within(Duration)
    }

    /// A plugin with its options.
    struct Instance: Sendable {
        /// What tells the matches of several instances apart.
        let name: String
        let plugin: any Plugin
        let values: OptionValues
    }

    /// How records are spread over several threads.
    struct Partition: Sendable {
        /// Records with the same value here stay together.
        let field: String
        let workerCount: Int
    }

    /// The pipeline's name in the configuration; `nil` for the only one of a command line.
    let name: String?
    let instances: [Instance]
    let inputs: [Input]
    var outputs: [Address]

    /// How matches are written; `nil` for as the ending of each output says.
    let style: MatchStyle?
    var rejected: Address?
    let report: Address?
    var late: Address?
    let isStrict: Bool
    let limits: FormatLimits
    let partition: Partition?

    /// How many threads decode an input whose format can be cut between records.
    let readerCount: Int

    /// How much later than a younger record one may come, to be put in order; `nil` where the order stays as it is.
    let lateness: Duration?

    /// How many records wait to be put in order, at most.
    let heldLimit: Int

    /// How far ahead of the clock or of the other records a time may be.
    let ahead: AheadChoice

    /// How long the other inputs wait for an idle one.
    let idleTimeout: Duration

    /// The files that plugins come from, or that their options name, and where each is named.
    let files: [(option: String, path: String)]

    /// What came of the rules; `nil` where plugins were named.
    let queries: QueryCompilation?

    /// How often the pipeline is started again after it failed; only where there are several.
    let restartLimit: Int

    /// Where the state is saved; `nil` where it is not.
    var state: StateRequest?

    /// The group that the run is a member of; `nil` where it works alone.
    var group: GroupChoice?
}

extension RunRequest {
    /// How the records end for plugins when a user ends the run: what they hold leaves, but nothing is said to be missing
    /// that a query could still find.
    var completionWhenInterrupted: Completion { queries == nil ? .finished : .interrupted }
}
