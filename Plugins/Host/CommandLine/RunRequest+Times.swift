internal import WeirCore
internal import WeirRecords

extension RunRequest {
    /// The index of the field with a record's time.
    ///
    /// - Returns: The index.
    /// - Throws: ``HostError`` where no plugin says which field that is.
    func timeField(in schema: RecordSchema, for option: String) throws(HostError) -> Int {
        guard let field = schema.timeField else {
            throw .usage(
                "\(option): it is not known which field is the time for "
                    + instances.map { "'\($0.name)'" }.joined(separator: " and ")
                    + "; its schema says so with 'timeField'"
            )
        }
        return field
    }

    /// Checks that records have a time where options need it.
    func checkTimes(of schema: RecordSchema) throws(HostError) {
        if lateness != nil { _ = try timeField(in: schema, for: "--lateness") }
        if case .within = ahead { _ = try timeField(in: schema, for: "--max-ahead") }
    }

    /// Where the lines that come too late are kept.
    static func late(
        _ arguments: PipelineArguments,
        _ inputs: [Input],
        _ registry: Registry
    ) throws(HostError) -> Address? {
        // What a second group merges by marks of time may be late without it.
        let isMerged =
            arguments[.group] != nil
            && inputs.allSatisfy { input in
                if case .address(let address) = input.source { address.path.hasSuffix(".*") } else { false }
            }
        guard arguments[.late] == nil || arguments[.lateness] != nil || isMerged else {
            throw .usage("--late: it is for what comes later than --lateness; give that too, such as --lateness 1m")
        }
        return try address(.late, arguments, registry)
    }

    /// How many records wait to be put in order.
    static func heldLimit(_ arguments: PipelineArguments) throws(HostError) -> Int {
        guard arguments[.maxHeld] == nil || arguments[.lateness] != nil else {
            throw .usage("--max-held: records wait only with --lateness; give that too, such as --lateness 1m")
        }
        return try arguments.options.integer(.maxHeld) ?? 0
    }

    /// How far ahead times may be.
    static func ahead(_ arguments: PipelineArguments) throws(HostError) -> AheadChoice {
        guard arguments[.maxAhead] != "none" else { return .none }
        do throws(HostError) {
            return try arguments.options.duration(.maxAhead).map { .within($0) } ?? .usual
        } catch {
            throw .usage(error.message + ", or 'none'")
        }
    }
}
