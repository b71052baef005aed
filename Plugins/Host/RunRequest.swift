internal import WeirCore

/// What `weir run` is to do: the command line, understood and checked as far as that goes without opening anything.
struct RunRequest {
    /// Where the records come from.
    enum Input {
        case demo(seed: UInt64)
        case address(Address)
    }

    let plugin: any Plugin
    let values: OptionValues
    let input: Input
    let format: any Format

    /// The names of the formats that the input could be in instead.
    let otherFormats: [String]
    let output: Address
    let rejected: Address?
    let report: Address?
    let isStrict: Bool
    let limits: FormatLimits
}
