internal import WeirCore
internal import WeirFormats
internal import WeirRecords

// What the first lines of an input show of it.
extension RunRequest {
    /// Whether only the first lines of an input show how it is written, or what its time is called.
    func showsForm(_ input: Input) -> Bool {
        input.hasFirstLine && (!input.isFormatKnown || queries?.findsTimes ?? false)
    }

    /// An input, and what is wanted of its records, as its first lines show both.
    ///
    /// Where neither the command line nor the ending of a file says how it is written, what begins like an object of JSON, or
    /// an array of them, is that. Where no option names the time, it is the first of the usual names that the input has.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - schema: What is wanted of each record.
    ///   - lines: The first lines.
    /// - Returns: The input with its format, and the schema with its name for the time.
    func shown(_ input: Input, _ schema: RecordSchema, byFirstLines lines: [UInt8]) -> (Input, RecordSchema) {
        var (input, schema) = (input, schema)
        input.format = input.format(shownBy: lines)
        guard queries?.findsTimes ?? false, let field = schema.timeField else { return (input, schema) }
        let found = try? FieldSurvey(ByteSource(lines), format: input.format, limits: limits)
        if let names = found?.names, let name = QueryOptions.usualTimes.first(where: names.contains) {
            schema.fields[field].name = name
        }
        return (input, schema)
    }
}

extension Format {
    /// Whether its records are objects of JSON, which matches show as they came.
    var hasObjects: Bool { [JSONLinesFormat().name, JSONFormat().name].contains(name) }
}

extension RunRequest.Input {
    /// The format that its first lines show, where nothing else says which it is.
    func format(shownBy lines: [UInt8]) -> any Format {
        isFormatKnown ? format : FormatChoice.format(shownBy: lines, otherwise: format)
    }
}
