import Foundation
import WeirCore
import WeirFiles
import WeirFormats
import WeirRecording
import WeirRecords

@testable import WeirSystem

// MARK: JSON

/// Any value that a document can hold.
indirect enum Document: Codable, Equatable {
    case null, bool(Bool), number(Double), text(String), list([Document]), object([String: Document])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            var members: [String: Document] = [:]
            for key in container.allKeys { members[key.stringValue] = try container.decode(Document.self, forKey: key) }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [Document] = []
            while !container.isAtEnd { elements.append(try container.decode(Document.self)) }
            self = .list(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else {
                self = .number(try container.decode(Double.self))
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in members { try container.encode(value, forKey: Name(name)) }
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .text(let value): try container.encode(value)
            default: try container.encodeNil()
            }
        }
    }

    /// Bit by bit, so that NaN equals itself.
    static func == (left: Document, right: Document) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left.bitPattern == right.bitPattern
        case (.text(let left), .text(let right)): Array(left.utf8) == Array(right.utf8)
        case (.list(let left), .list(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    private struct Name: CodingKey {
        let stringValue: String

        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}

extension Document {
    init(_ node: JSONNode) {
        switch node.value {
        case .null: self = .null
        case .boolean(let value): self = .bool(value)
        case .number(let text): self = .number(Double(text) ?? .nan)
        case .text(let text): self = .text(text)
        case .array(let elements): self = .list(elements.map(Document.init))
        case .object(let members):
            self = .object(Dictionary(uniqueKeysWithValues: members.map { ($0.name, Document($0.value)) }))
        }
    }
}

/// The reader that keeps places takes what Foundation's takes, but for comments and its own four rules, and says what is
/// wrong where it is.
func checkJSON(_ bytes: [UInt8]) {
    // Foundation reads other encodings, too.
    guard !bytes.contains(0), bytes.first.map({ $0 < 0x80 }) ?? true else { return }
    let other = try? JSONDecoder().decode(Document.self, from: Data(bytes))
    // Foundation's takes no comments.
    let mayHaveComments = String(decoding: bytes, as: UTF8.self).contains("//")
    do throws(JSONError) {
        let node = try JSONNode.read(bytes)
        require(
            other == Document(node) || (other == nil && mayHaveComments),
            "read otherwise:\n\(node)\n\(String(describing: other))"
        )
    } catch {
        requireLine(said(error.reason))
        // Foundation's takes a comma before the end of a list, which RFC 8259 does not have.
        let ownRules = ["given twice", "nested more than", "is no value", "a comma stands before the"]
        let isOwnRule = ownRules.contains { error.reason.contains($0) }
        require(other == nil || isOwnRule, "refused: \(error)")
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        require((1...lines.count).contains(error.place.line), "no such line: \(error)")
        require((1...lines[error.place.line - 1].count + 1).contains(error.place.column), "no such column: \(error)")
    }
}

// MARK: Configurations and command lines

private let registry: Registry = {
    var registry = Registry()
    do {
        for plugin in Subject.allCases { try registry.register(plugin.plugin) }
        for format: any Format in [CSVFormat(), JSONLinesFormat(), BinaryFormat()] { try registry.register(format) }
        let transports: [any Transport] = [
            FileTransport(), RecordingTransport(), StandardInput(), StandardOutput(), MessageTransport(),
        ]
        for transport in transports { try registry.register(transport) }
    } catch {
        fatalError("\(error)")
    }
    return registry
}()

/// A transport that keeps messages whole, and is never opened.
private struct MessageTransport: Transport {
    let scheme = "messages"
    let summary = ""

    var sourceOptions: [OptionDeclaration] {
        [OptionDeclaration("framing", .choice(["newline", "length", "datagram"]), help: "")]
    }

    var sinkOptions: [OptionDeclaration] { sourceOptions }

    func openSource(_ address: String) throws(TransportError) -> any TransportSource { fatalError("not to be opened") }

    func openSink(_ address: String) throws(TransportError) -> any TransportSink { fatalError("not to be opened") }
}

/// What a console writes of a message.
func said(_ message: String) -> String {
    let sink = MemorySink()
    Console(sink).writeLine(message)
    require(sink.text.hasSuffix("\n"), "no line")
    return String(sink.text.dropLast())
}

/// Keeps what is written.
private final class MemorySink: TransportSink, @unchecked Sendable {
    // Used by one thread.
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func write(_ piece: Span<UInt8>) throws(TransportError) {
        for index in piece.indices { bytes.append(piece[index]) }
    }
}

func requireSaid(_ error: HostError) {
    requireLine(said(error.message))
}

private let configurationPath = "/tmp/weir-fuzz-\(getpid()).json"

private func configuration(_ text: [UInt8]) throws(HostError) -> Configuration {
    let isWritten = FileManager.default.createFile(atPath: configurationPath, contents: Data(text))
    require(isWritten, "there is no folder for the file")
    defer { unlink(configurationPath) }
    return try Configuration(path: configurationPath, environment: EnvironmentOptions { _ in nil }, registry)
}

/// A configuration is refused in one line, or means the same when it is written anew, and on a command line.
func checkConfiguration(_ input: inout Input) {
    // No paths to other folders: libraries there would be loaded.
    let text = input.rest.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
    let plans: [Configuration.Plan]
    do throws(HostError) {
        plans = try configuration(text).plans
    } catch {
        return requireSaid(error)
    }
    var pipelines: [String: Document] = [:]
    for plan in plans {
        do throws(HostError) {
            _ = try plan.request(registry)
        } catch {
            requireSaid(error)
        }
        var members: [String: Document] = ["plugins": .list(plan.arguments.plugins.map(Document.text))]
        for (name, value) in plan.arguments.options {
            let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
            let values = lines.map { Document.text(String($0)) }
            members[name] = value.isEmpty ? .bool(true) : values.count == 1 ? values[0] : .list(values)
        }
        pipelines[plan.name] = .object(members)
        checkWords(of: plan)
    }
    do {
        let again = try JSONEncoder().encode(Document.object(["pipelines": .object(pipelines)]))
        let sorted = try configuration(Array(again)).plans.sorted { $0.name < $1.name }
        let before = plans.sorted { $0.name < $1.name }
        require(sorted.map(\.arguments) == before.map(\.arguments), "it is read otherwise: \(again)")
    } catch {
        fatalError("\(error)")
    }
}

/// The options of a pipeline mean the same on a command line.
func checkWords(of plan: Configuration.Plan) {
    // Names of plugins that look like options are words of a configuration only.
    guard !plan.arguments.plugins.contains(where: { $0.hasPrefix("-") }) else { return }
    var words: [String] = []
    for (name, value) in plan.arguments.options {
        let values = value.split(separator: "\n", omittingEmptySubsequences: false)
        words += value.isEmpty ? ["--\(name)"] : values.map { "--\(name)=\($0)" }
    }
    do throws(HostError) {
        let accepted = RunRequest.accepted(try RunRequest.plugins(plan.arguments.plugins, registry))
        let arguments = try Arguments(words, accepted, topic: "run")
        require(arguments.options == plan.arguments.options && arguments.places.isEmpty, "other options: \(words)")
    } catch {
        fatalError("\(error)")
    }
}

/// A command line is refused in one line, or is understood.
func checkCommandLine(_ input: inout Input) {
    let isConversion = input.byte() & 1 == 1
    let words = input.text.split(separator: "\n").map { String($0.map { $0 == "/" ? "_" : $0 }) }
    do throws(HostError) {
        if isConversion {
            let request = try ConvertRequest(words, registry)
            require(request.columns?.isEmpty != true, "no columns")
            require(Set(request.types.map(\.name)).count == request.types.count, "a type twice")
            return
        }
        guard let first = words.first else { return }
        let named = try RunRequest.plugins([first], registry)
        let rest = Array(words.dropFirst())
        let arguments = try Arguments(rest, RunRequest.accepted(named), topic: "run")
        let plan = PipelineArguments(plugins: [first], places: arguments.places, options: arguments.options)
        let request = try RunRequest(plan, name: nil, registry)
        require(!request.inputs.isEmpty && !request.outputs.isEmpty, "no inputs or outputs")
        for instance in request.instances {
            requirePlan(try? instance.plugin.start(instance.values, output: MatchOutput()))
            _ = instance.plugin.graph(instance.values)
        }
    } catch {
        requireSaid(error)
    }
}

private func requirePlan(_ consumer: RecordConsumer?) {
    guard let consumer else { return }
    require(!consumer.schema.fields.isEmpty, "a plugin that wants no field")
}

// MARK: Monitoring

/// What another program answers to `weir top`, and what this one answers to any request.
func checkStatus(_ input: inout Input) {
    let (columns, rows, keys) = (Int(input.byte()), Int(input.byte() & 31) + 1, input.byte())
    let text = input.text
    let reply = String(decoding: ControlSocket.reply(to: text) { $0 == "status" ? "{}" : nil }, as: UTF8.self)
    if reply.hasPrefix("HTTP/") {
        let parts = reply.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        require(parts.count == 2 && parts[0].hasSuffix("Content-Length: \(parts[1].utf8.count)"), "no page: \(reply)")
        require((parts[1] == "{}") == parts[0].hasPrefix("HTTP/1.0 200 "), "another page: \(reply)")
    }
    // One line for each number, whatever the pipeline is called.
    func lineCount(_ name: String) -> Int {
        MetricsText.text([PipelineStatus(name: name)]).utf8.count { $0 == UInt8(ascii: "\n") }
    }
    require(lineCount(text) == lineCount("a"), "metrics of '\(text)'")
    var view = LiveView(title: "fuzz")
    guard let reports = StatusReport.read(text) else { return }
    for step in 0..<3 {
        view.update(reports, at: Timestamp(secondsSinceEpoch: Int64(step)))
        if keys >> step & 1 == 1 { _ = view.press("s") }
        let screen = view.screen(columns: columns, rows: rows, isColoured: false)
        let lines = screen.replacing("\u{1B}[H", with: "").replacing("\u{1B}[K", with: "").split(
            separator: "\r\n",
            omittingEmptySubsequences: false
        )
        require(lines.count <= rows, "\(lines.count) lines of \(rows)")
        for line in lines where !line.isEmpty {
            requireLine(String(line))
            require(line.count <= columns, "a line of \(line.count) characters in \(columns)")
        }
    }
}
