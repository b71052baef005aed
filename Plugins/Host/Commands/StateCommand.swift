internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirState

/// Shows what is in a folder of `--state`: `weir state`.
///
/// It only reads, so it may look at the folder of a run that goes on.
struct StateCommand: Command {
    static let name = "state"
    static let operands = "DIR"
    static let summary = "Show what a run has saved"
    static let examples: [HelpPage.Example] = [
        ("weir state state/", ""), ("weir state state/ --format json", "for programs"),
    ]
    static let usage = ["weir state DIR [--format text|json]"]
    static let options = [formatOption]
    static let remark = """
        DIR is what --state names; with a configuration it has a folder for each
        pipeline. 'weir help checkpoints' says what is saved, and when.
        """

    private static let formatOption = OptionDeclaration(
        "format",
        .choice(["text", "json"]),
        default: "text",
        help: "how to show it"
    )

    private let path: String
    private let isJSON: Bool

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        guard let first = arguments.places.first, arguments.places.count == 1 else {
            throw .usage("name the folder that --state names, such as 'weir state DIR'")
        }
        path = first
        isJSON = try arguments.options.choice(Self.formatOption) == "json"
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        var states: [(name: String, found: StateFolder.Found)] = []
        let folders = (FileSystem.names(inFolder: path) ?? []).map { "\(path)/\($0)" }
            .filter { FileSystem.names(inFolder: $0) != nil }
        do throws(StateFolder.Refusal) {
            let isParent = !folders.isEmpty && folders.allSatisfy(Self.isState)
            if !isParent { try StateFolder.check(path, mayBeEmpty: false) }
            for folder in isParent ? folders : [path] {
                let found = try StateFolder.newest(in: folder) { context.console.writeLine($0) }
                if let found { states.append((folder, found)) }
            }
        } catch {
            throw HostError(.noInput, "\(error)")
        }
        guard !states.isEmpty else { throw HostError(.noInput, "'\(path)' has no checkpoint yet") }
        return try context.show(isJSON ? Self.json(states) : Self.text(states))
    }

    private static func isState(_ folder: String) -> Bool {
        do {
            try StateFolder.check(folder, mayBeEmpty: false)
            return true
        } catch {
            return false
        }
    }

    // MARK: For people

    private static func text(_ states: [(name: String, found: StateFolder.Found)]) -> String {
        states.map { text($0.found, of: $0.name, now: WallClock().now()) }.joined(separator: "\n")
    }

    private static func text(_ found: StateFolder.Found, of name: String, now: Timestamp) -> String {
        let checkpoint = found.checkpoint
        let age = Quantity.duration(max(0, now.nanosecondsSinceEpoch - checkpoint.time))
        var rows: [(left: String, right: String)] = [
            ("checkpoint", "\(checkpoint.number), \(age) old, by weir \(checkpoint.program)"),
            ("size", size(found.byteCount)),
            ("inputs", checkpoint.isFinished ? "read to their end, and all is written" : "not at their end"),
        ]
        rows += checkpoint.settings.filter { !$0.value.contains("\n") }.map { ($0.name, $0.value) }
        for input in checkpoint.inputs { rows.append(("input '\(input.name)'", input.place.text(of: input.name))) }
        for output in checkpoint.outputs {
            rows.append((output.name, size(Int(output.finalByteCount ?? output.byteCount))))
        }
        for consumer in checkpoint.consumers {
            let partial = consumer.partialMatches.map {
                ", " + Quantity.counted(UInt64(max(0, $0)), "partial match", "partial matches")
            }
            rows.append(("plugin '\(consumer.name)'", size(consumer.bytes.count) + (partial ?? "")))
            rows += consumer.contents.filter { $0.items > 0 }
                .map { part in
                    let items = Quantity.counted(UInt64(part.items), "element", "elements")
                    return ("  \(part.name)", "\(items), \(size(part.byteCount))")
                }
        }
        for part in checkpoint.parts where !part.bytes.isEmpty { rows.append((part.name, size(part.bytes.count))) }
        rows += checkpoint.counts(isDone: checkpoint.isFinished).filter { $0.value > 0 }.map {
            ($0.name, Quantity.grouped($0.value))
        }
        return "\(name)\n" + Table.text(rows)
    }

    private static func size(_ count: Int) -> String { Quantity.counted(UInt64(max(0, count)), "byte", "bytes") }

    // MARK: For programs

    private static func json(_ states: [(name: String, found: StateFolder.Found)]) -> String {
        var json = JSONWriter()
        json.array(states) { json, state in
            let checkpoint = state.found.checkpoint
            json.object { json in
                json.member("folder", state.name)
                json.member("checkpoint", checkpoint.number)
                json.member("program", checkpoint.program)
                json.member("time", checkpoint.time)
                json.member("bytes", UInt64(state.found.byteCount))
                json.member("finished", checkpoint.isFinished)
                json.name("settings")
                json.object { json in for setting in checkpoint.settings { json.member(setting.name, setting.value) } }
                json.name("inputs")
                json.array(checkpoint.inputs) { json, input in
                    json.object { json in
                        json.member("name", input.name)
                        input.place.write(to: &json)
                    }
                }
                json.name("outputs")
                json.array(checkpoint.outputs) { json, output in
                    json.object { json in
                        json.member("name", output.name)
                        json.member("bytes", output.finalByteCount ?? output.byteCount)
                    }
                }
                json.name("plugins")
                json.array(checkpoint.consumers) { json, consumer in
                    json.object { json in
                        json.member("name", consumer.name)
                        json.member("bytes", UInt64(consumer.bytes.count))
                        if let partial = consumer.partialMatches { json.member("partialMatches", Int64(partial)) }
                        json.name("parts")
                        json.array(consumer.contents) { json, part in
                            json.object { json in
                                json.member("name", part.name)
                                json.member("elements", Int64(part.items))
                                json.member("bytes", UInt64(part.byteCount))
                            }
                        }
                    }
                }
                json.name("parts")
                json.array(checkpoint.parts) { json, part in
                    json.object { json in
                        json.member("name", part.name)
                        json.member("bytes", UInt64(part.bytes.count))
                    }
                }
                json.name("counts")
                json.object { json in
                    for count in checkpoint.counts(isDone: checkpoint.isFinished) {
                        json.member(count.name, count.value)
                    }
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }
}

extension RunCheckpoint.Consumer {
    /// The operators of the plugin, or the rules of a query; empty where the plugin says nothing of its bytes.
    fileprivate var contents: [(name: String, items: Int, byteCount: Int)] {
        (try? Checkpoint(bytes).parts) ?? []
    }
}

extension RunCheckpoint.Input.Place {
    /// The place in words.
    ///
    /// - Parameter name: What the input is called: a stream of NATS counts messages, not bytes.
    /// - Returns: The words.
    fileprivate func text(of name: String) -> String {
        switch self {
        case .unknown: "cannot be read again"
        case .bytes(let place) where place.line == 0: "at its start"
        case .bytes(let place) where name.hasPrefix("nats:"):
            "before message \(Quantity.grouped(UInt64(max(0, place.position.offset)))) of the stream"
        case .bytes(let place):
            "line \(Quantity.grouped(place.line)), "
                + "byte \(Quantity.grouped(UInt64(max(0, place.position.offset - Int64(place.unread.count)))))"
        case .records(let place):
            "behind \(Quantity.counted(place.records, "record", "records")) and "
                + "\(Quantity.counted(place.rejections, "rejected line", "rejected lines"))"
        }
    }

    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .unknown: break
        case .bytes(let place):
            json.member("line", place.line)
            json.member("byte", place.position.offset - Int64(place.unread.count))
        case .records(let place):
            json.member("records", place.records)
            json.member("rejected", place.rejections)
        }
    }
}
