internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// The fields that the first records of files have.
struct FieldSample: Sendable {
    /// The names, with dots for objects in objects; empty where no input shows any.
    private(set) var names: Set<String> = []

    /// Whether the records have no other fields: all inputs have a header.
    private(set) var isComplete = false

    /// Whether all inputs tell texts from numbers.
    private(set) var hasTypes = true

    /// Whether it is known how all inputs are written.
    private(set) var isFormatKnown = true

    /// What the names are from, for messages.
    private(set) var source = ""

    /// The names of records that are no objects, in the order of the inputs.
    private(set) var ordered: [String] = []

    /// The inputs whose records may have other fields beside these, and are no objects.
    private(set) var unseen: [String] = []

    /// The files whose records may have others behind those that were looked at, and are no objects.
    private(set) var partial: [String] = []

    /// Whether fields that an option names are shown beside those that are known.
    var isOpen: Bool { !unseen.isEmpty || !partial.isEmpty }

    /// How much of a file is looked at.
    static let byteCount = 64 << 10

    /// Knows nothing.
    init() {}

    /// Looks at the inputs that are files; others would have to be waited for.
    init(of inputs: [RunRequest.Input], _ limits: FormatLimits) {
        var looked: [(names: [String], isComplete: Bool)] = []
        for input in inputs {
            let start = Self.start(of: input)
            var input = input
            input.format = input.format(shownBy: start?.bytes ?? [])
            hasTypes = hasTypes && input.format.tellsTextFromNumbers
            isFormatKnown = isFormatKnown && (input.isFormatKnown || start != nil)
            let hasObjects = input.format.hasObjects
            guard let start, let found = Self.names(of: input, start.bytes, limits), !found.names.isEmpty else {
                if !hasObjects { unseen.append(input.name) }
                continue
            }
            looked.append((found.names, found.isComplete))
            source = input.name
            guard !hasObjects else { continue }
            if !found.hasAll, !start.isWhole { partial.append(input.name) }
            for name in found.names where !ordered.contains(name) { ordered.append(name) }
        }
        guard looked.count == inputs.count, !looked.isEmpty else {
            source = ""
            return
        }
        if looked.count > 1 { source = "the inputs" } else { source = "'\(source)'" }
        isComplete = looked.allSatisfy(\.isComplete)
        names.formUnion(looked.flatMap(\.names))
    }

    /// The first lines of an input that is a file; `nil` of any other.
    private static func start(of input: RunRequest.Input) -> (bytes: [UInt8], isWhole: Bool)? {
        // What is wrong with a file is said when it is opened to be read.
        guard case .address(let address) = input.source, address.isFile, address.stream == nil,
            let source = try? address.transport.openSource(FileTransport.address(ofPath: address.path)),
            let (bytes, isWhole) = try? source.readStart(byteCount)
        else { return nil }
        let newline = UInt8(ascii: "\n")
        return (isWhole ? bytes : Array(bytes[..<(bytes.lastIndex(of: newline).map { $0 + 1 } ?? 0)]), isWhole)
    }

    private static func names(
        of input: RunRequest.Input,
        _ bytes: [UInt8],
        _ limits: FormatLimits
    ) -> (names: [String], isComplete: Bool, hasAll: Bool)? {
        if let format = input.format as? AccessLogFormat { return (format.readNames, true, true) }
        guard input.format.name == JSONLinesFormat().name else {
            let survey = try? FieldSurvey(ByteSource(bytes), format: input.format, limits: limits)
            return survey.map { ($0.names, input.format is CSVFormat, $0.isComplete) }
        }
        var names: Set<String> = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // Lines that are none are rejected when they are read.
            guard let node = try? JSONNode.read(Array(line), allowsRepeatedNames: true) else { continue }
            add(node, "", to: &names)
        }
        return (Array(names), false, false)
    }

    private static func add(_ node: JSONNode, _ prefix: String, to names: inout Set<String>) {
        switch node.value {
        case .object(let members):
            for member in members {
                names.insert(prefix + member.name)
                add(member.value, prefix + member.name + ".", to: &names)
            }
        case .array(let elements): for element in elements { add(element, prefix, to: &names) }
        default: break
        }
    }
}
