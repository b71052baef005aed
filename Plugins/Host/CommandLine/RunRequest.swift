internal import WeirCore

/// A pipeline that `weir run` is to run: understood and checked as far as that goes without opening anything.
struct RunRequest: Sendable {
    /// Where records come from.
    enum Source: Sendable {
        case demo(seed: UInt64)
        case address(Address)
    }

    /// An input, and how it is written.
    struct Input: Sendable {
        let source: Source
        let format: any Format

        /// The names of the formats that the input could be in instead.
        let otherFormats: [String]

        /// What to call it in messages.
        var name: String {
            switch source {
            case .demo: "demo"
            case .address(let address): address.name
            }
        }
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
    let outputs: [Address]
    let style: MatchStyle
    let rejected: Address?
    let report: Address?
    let isStrict: Bool
    let limits: FormatLimits
    let partition: Partition?

    /// How long an input that brings nothing holds up the others.
    let idleTimeout: Duration

    /// How often the pipeline is started again after it failed; only where there are several.
    let restartLimit: Int
}
