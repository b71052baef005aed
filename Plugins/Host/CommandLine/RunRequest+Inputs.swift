internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

// What a pipeline reads.
extension RunRequest {
    static func inputs(
        _ arguments: PipelineArguments,
        _ registry: Registry
    ) throws(HostError) -> [Input] {
        let given = arguments.options.values(.from) + arguments.places
        var inputs: [Input] = []
        var streams: [String] = []
        var files: [(name: String, file: Overwriting.Identity)] = []
        for text in given {
            let source: Source =
                text == "demo"
                ? .demo(seed: try seed(arguments))
                : .address(try address(text, .input, of: .from, registry))
            let input = try input(source, arguments, registry)
            if case .address(let address) = source, let stream = address.stream {
                guard !streams.contains(stream) else {
                    let name = stream == "stdin" ? "standard input" : "'\(input.name)'"
                    throw .usage("--from: \(name) is given twice; it can be read once")
                }
                streams.append(stream)
            } else if case .address(let address) = source,
                let file = Overwriting.identity(address, standard: .input)
            {
                if let other = files.first(where: { $0.file == file }) {
                    let both = other.name == address.name ? "is given twice" : "is the same file as '\(other.name)'"
                    throw .usage("--from: '\(address.name)' \(both), and would count twice; give it once")
                }
                files.append((address.name, file))
            }
            inputs.append(input)
        }
        guard arguments[.seed] == nil || given.contains("demo") else {
            throw .usage("--seed is of use only with '--from demo'")
        }
        guard inputs.isEmpty else { return inputs }
        guard !StandardStream.input.isTerminal else {
            throw .usage(
                "there is nothing to read; name a file"
                    + (arguments.plugins.first.map { ", pipe it in, or try 'weir run \($0) --from demo'" }
                        ?? ", or pipe it in")
            )
        }
        let source = Source.address(try Address("stdin", .input, registry))
        return [try input(source, arguments, registry)]
    }

    static func seed(_ arguments: PipelineArguments) throws(HostError) -> UInt64 {
        guard let text = arguments[.seed] else { return 1 }
        guard let seed = UInt64(text) else {
            throw .usage("--seed: '\(text)' is not a whole number from 0 to \(UInt64.max)")
        }
        return seed
    }

    static func input(
        _ source: Source,
        _ arguments: PipelineArguments,
        _ registry: Registry
    ) throws(HostError) -> Input {
        var source = source
        var framing = arguments[.framing]
        let given = source.isDemo ? arguments[.format] : formatName(inGroup: arguments)
        var name = given ?? "csv"
        var isKnown = given != nil || DialectChoice.Options.input.all.contains { arguments[$0] != nil }
        switch source {
        case .demo:
            guard name == "csv" else { throw .usage("--format: the demo is always csv, not '\(name)'") }
            if let option = DialectChoice.Options.input.all.first(where: { arguments[$0] != nil }) {
                throw .usage("--\(option.name): the demo is always written as csv is by default")
            }
            guard arguments[.framing] == nil else { throw .usage("--framing: the demo has no frames") }
        case .address(let address):
            if given == nil, let path = address.formatPath,
                let ofEnding = FormatChoice.name(forEndingOf: path, registry)
            {
                name = ofEnding
                isKnown = true
            }
            let framed = try address.framed(by: framing, .framing, .input)
            source = .address(framed.address)
            framing = framed.framing
        }
        var format = try FormatChoice.format(
            named: name,
            framing: framing,
            option: .framing,
            dialect: try DialectChoice(arguments.options, .input),
            registry
        )
        if case .address(let address) = source {
            try FormatChoice.check(format, goesThrough: address, .input, option: .format)
            format = FormatChoice.format(format, readFrom: address)
        }
        let hasFirstLine = (framing ?? Framing.newline.rawValue) == Framing.newline.rawValue
        return Input(
            source: source,
            format: format,
            isFormatKnown: isKnown || source.isDemo,
            hasFirstLine: hasFirstLine && (format.hasLines || format.name == JSONFormat().name)
        )
    }
}
