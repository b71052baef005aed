internal import WeirCore
internal import WeirQueries
internal import WeirRecords

/// The options that explain what became of partial matches.
enum NearOptions {
    /// `--why` and `--near`, as the plugin declares them.
    static let all = QueryPlugin([], over: QuerySchema()).explainingNearMatches().options
        .filter { ["why", "near"].contains($0.name) }

    /// Whether partial matches are to be explained.
    static func areGiven(_ options: [String: String]) -> Bool { all.contains { options[$0] != nil } }

    /// Checks that there is an end to explain at, and that nothing contradicts.
    ///
    /// - Throws: ``HostError`` for what cannot be explained.
    static func check(_ arguments: PipelineArguments, _ inputs: [RunRequest.Input]) throws(HostError) {
        if let input = inputs.first(where: \.isLive) {
            throw .usage(
                "--why and --near explain at the end of the input, and '\(input.name)' has none; record it first, such as "
                    + "with 'weir record'"
            )
        }
        for option in [OptionDeclaration.workers, .partitionBy, .report] where arguments[option] != nil {
            throw .usage("--\(option.name) cannot be combined with --why and --near; leave one out")
        }
        if arguments[.output] == "events" {
            throw .usage(
                "--output: 'events' are of matches; --why and --near write text, or objects with --output json"
            )
        }
    }

    /// How the plugin writes: text for people, or objects where a style or the ending of a file asks for them.
    static func form(_ arguments: PipelineArguments, _ outputs: [Address], _ registry: Registry) -> String {
        let hasForm = outputs.contains { output in
            output.formatPath.flatMap { FormatChoice.name(forEndingOf: $0, registry) } != nil
        }
        return arguments[.output] == nil && !hasForm ? "text" : "json"
    }
}
