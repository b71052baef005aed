internal import WeirFormats
internal import WeirGroups
internal import WeirRecords
internal import WeirState

/// What `--group` asks for.
struct GroupChoice: Sendable {
    let name: String
    let partitionCount: Int

    /// How long after a commit the next one is made.
    let interval: Duration
    let dropsMismatch: Bool

    /// What has to be the same for all members.
    let settings: [GroupSettings.Setting]
}

// The group that a run is a member of.
extension RunRequest {
    /// The options that mean nothing where others share the work, and why.
    private static let refusedInGroups: [(option: OptionDeclaration, reason: String)] = [
        (.state, "the group keeps the state"),
        (.partitionBy, "the group has partitions already; start another member instead"),
        (.workers, "a member works with one thread; start another member instead"),
        (.report, "it would show the part of one member"),
        (.idleTimeout, "there is one input"),
        (.strict, "a member ends when it is told to"),
        (.restarts, "it is for the pipelines of a configuration"),
    ]

    static func group(
        _ arguments: PipelineArguments,
        name: String?,
        _ inputs: [Input],
        _ outputs: [Address]
    ) throws(HostError) -> GroupChoice? {
        guard let group = arguments[.group] else {
            guard arguments[.partitions] == nil else { throw .usage("--partitions is of use only with --group NAME") }
            return nil
        }
        guard name == nil else {
            throw .usage("--group: a configuration has pipelines of its own; 'weir run' joins a group")
        }
        for (option, reason) in refusedInGroups where arguments[option] != nil {
            throw .usage("--\(option.name) cannot be combined with --group: \(reason)")
        }
        guard [nil, "json", "events"].contains(arguments[.output]) else {
            throw .usage("--output: a group writes lines of JSON: json, or with 'weir match' also events")
        }
        if NearOptions.areGiven(arguments.options) {
            throw .usage("--why and --near explain what one program has read; leave out --group")
        }
        let places = "--from nats://HOST/SUBJECT --to nats://HOST/OTHER"
        guard inputs.count == 1, case .address(let input) = inputs[0].source, input.transport is any GroupTransport
        else {
            throw .usage("--group: a group reads one input that is divided into partitions; name both: \(places)")
        }
        guard outputs.count == 1, outputs[0].transport is any GroupTransport,
            outputs[0].transport.scheme == input.transport.scheme
        else {
            throw .usage("--group: a group writes where it reads, to one output; name both: \(places)")
        }
        guard !inputs[0].format.beginsWithHeader else {
            throw .usage(
                "--format: messages of a group have no line that names the columns; 'weir produce' writes jsonl"
            )
        }
        let interval =
            arguments[.checkpoint] == nil ? .seconds(1) : try arguments.options.duration(.checkpoint) ?? .seconds(1)
        guard interval > .zero else { throw .usage("--checkpoint: must be longer than 0") }
        let isWhole = input.path.hasSuffix(".*")
        let count = try arguments.options.integer(.partitions) ?? KeyPartitions.count
        guard !isWhole || arguments[.partitions] == nil || count == 1 else {
            throw .usage("--partitions: '\(input.name)' is read as one partition, because its subject ends with '*'")
        }
        var settings = Self.settings(arguments).map { GroupSettings.Setting($0.name, $0.value) }
        settings.append(GroupSettings.Setting(GroupSettings.partitionCountName, "\(isWhole ? 1 : count)"))
        // Where it is, without how to get there: members may know other servers.
        settings.append(GroupSettings.Setting("--from", TransportAddress.subject(of: input.path)))
        settings.append(GroupSettings.Setting("--to", TransportAddress.subject(of: outputs[0].path)))
        return GroupChoice(
            name: group,
            partitionCount: isWhole ? 1 : count,
            interval: interval,
            dropsMismatch: try arguments.options.choice(.stateMismatch) == "drop",
            settings: settings
        )
    }

    /// The input of a group has lines of JSON, unless told otherwise.
    static func formatName(inGroup arguments: PipelineArguments) -> String? {
        arguments[.format] ?? (arguments[.group] == nil ? nil : JSONLinesFormat().name)
    }
}

extension TransportAddress {
    /// What stands behind the host of a place.
    fileprivate static func subject(of place: String) -> String {
        String(place.drop { $0 == "/" }.drop { $0 != "/" }.dropFirst())
    }
}
