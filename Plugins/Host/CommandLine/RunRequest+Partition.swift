internal import WeirRecords

// How records are spread over workers.
extension RunRequest {
    static func partition(
        _ arguments: PipelineArguments,
        _ instances: [Instance],
        _ registry: Registry
    ) throws(HostError) -> Partition? {
        let workerCount = try arguments.options.integer(.workers) ?? 1
        guard let field = arguments[.partitionBy] else { return nil }
        guard arguments[.report] == nil else {
            throw .usage("--report draws what one thread sees; leave out --partition-by, or the report")
        }
        for instance in instances {
            switch instance.plugin.partitionField(instance.values) {
            case field: continue
            case nil where instance.plugin.isPartitionedOnRequest:
                throw .usage(
                    "--partition-by: '\(instance.name)' does not keep records apart; say by what, with --by \(field)"
                )
            case nil:
                guard arguments.rules == nil else {
                    throw .usage(
                        "--partition-by: not every rule keeps records apart by '\(field)'; what can be spread over workers is "
                            + "'sequence by \(field)' and 'sample by \(field)', without pipes"
                    )
                }
                throw .usage(
                    "--partition-by: '\(instance.name)' needs all records in one place; "
                        + "what can be spread over workers is \(registry.partitionedPlugins)"
                )
            case let other?:
                throw .usage("--partition-by: '\(instance.name)' keeps records apart by '\(other)', not by '\(field)'")
            }
        }
        return Partition(field: field, workerCount: workerCount)
    }

    static func readerCount(_ arguments: PipelineArguments, _ inputs: [Input]) throws(HostError) -> Int {
        let count = try arguments.options.integer(.workers) ?? 1
        if count > 1, arguments[.partitionBy] == nil, !inputs.contains(where: \.canBeSplit) {
            throw .usage(
                "--workers: '\(inputs[0].name)' is read by one thread; to spread its records over workers, "
                    + "say which stay together, with --partition-by FIELD"
            )
        }
        return count
    }
}

extension Plugin {
    /// Whether it keeps records apart by the field that its option `--by` names.
    fileprivate var isPartitionedOnRequest: Bool { partitionField(["by": "FIELD"]) == "FIELD" }

    /// The field that it keeps records apart by, with a few options; `nil` where they cannot be.
    fileprivate func partitionField(_ given: [String: String]) -> String? {
        guard let values = try? OptionValues(options, given: given) else { return nil }
        return partitionField(values)
    }
}

extension Registry {
    /// The plugins whose records can be spread over workers, and by what, in words.
    fileprivate var partitionedPlugins: String {
        let words: [String] = plugins.compactMap { plugin in
            if let field = plugin.partitionField([:]) { return "'\(plugin.name)' by '\(field)'" }
            return plugin.isPartitionedOnRequest ? "'\(plugin.name)' with --by FIELD" : nil
        }
        return words.joined(separator: ", ")
    }
}
