internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords
internal import WeirSystem

/// The pipelines of a configuration file.
///
/// ```json
/// {
///   "pipelines": {
///     "shakes": { "plugin": "shake", "from": "readings.csv", "columns": { "time": "t_ms" }, "threshold": 1.5 },
///     "walks": { "plugin": "walk", "from": ["a.csv", "b.csv"], "to": ["walks.jsonl", "stdout"] }
///   }
/// }
/// ```
///
/// The members of a pipeline are `plugin` or `plugins`, or a query, `match`, or files with `rules`, and the options of
/// `weir run`, without their dashes.
struct Configuration: Sendable {
    /// A pipeline as it was written.
    struct Plan: Sendable {
        let name: String
        let file: String
        let arguments: PipelineArguments
        let place: TextPlace
        /// Where each option stands.
        let places: [String: TextPlace]

        /// Understands the pipeline.
        ///
        /// - Throws: ``HostError`` with the place of what cannot be understood.
        func request(_ registry: Registry) throws(HostError) -> RunRequest {
            do throws(HostError) {
                return try RunRequest(arguments, name: name, registry)
            } catch {
                throw locate(error)
            }
        }

        /// An error with its place: messages about an option begin with its name.
        func locate(_ error: HostError) -> HostError {
            guard error.exitCode == .usage else { return error }
            var located: HostError
            if error.message.hasPrefix("--") {
                let option = String(error.message.dropFirst(2).prefix { $0 != ":" && $0 != " " })
                located = Configuration.error(String(error.message.dropFirst(2)), file, places[option] ?? place)
            } else {
                located = Configuration.error(error.message, file, error.option.flatMap { places[$0] } ?? place)
            }
            located.excerpt = error.excerpt
            return located
        }
    }

    let plans: [Plan]

    /// Reads a file.
    ///
    /// - Throws: ``HostError`` with the place of the first mistake.
    init(path: String, environment: EnvironmentOptions, _ registry: Registry) throws(HostError) {
        let bytes: [UInt8]
        // Opening it would wait for a writer, also when it is to be read again.
        guard !FileSystem.isPipe(path) || FileSystem.isDescriptor(path) else {
            throw HostError(
                .badConfiguration,
                "cannot use '\(path)': it is a pipe, which cannot be read again; write the configuration to a file"
            )
        }
        let trusted: String
        do throws(UntrustedFile) {
            trusted = try FileTrust.resolve(path)
        } catch {
            throw HostError(.badConfiguration, "cannot use '\(path)': \(error)")
        }
        do throws(TransportError) {
            bytes = try FileTransport().openSource(FileSystem.exists(path) ? trusted : path).readAll(
                limit: 16 << 20,
                address: path
            )
        } catch {
            throw HostError(.badConfiguration, "\(error)")
        }
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONNode.read(bytes)
        } catch {
            throw Self.error(error.reason, path, error.place)
        }
        guard case .object(let members) = root.value else {
            throw Self.error("the file must be an object, with the member 'pipelines'", path, root.place)
        }
        if let unknown = members.first(where: { $0.name != "pipelines" }) {
            throw Self.error(
                "there is no '\(unknown.name)'" + Suggestion.text(for: unknown.name, among: ["pipelines"]),
                path,
                unknown.place
            )
        }
        guard let member = members.first, case .object(let pipelines) = member.value.value else {
            throw Self.error(
                "'pipelines' must be an object with a member for each pipeline",
                path,
                members.first?.value.place ?? root.place
            )
        }
        guard !pipelines.isEmpty else { throw Self.error("there are no pipelines", path, member.value.place) }
        var plans: [Plan] = []
        for pipeline in pipelines { plans.append(try Self.plan(pipeline, path, environment, registry)) }
        try Self.checkFiles(of: plans, path, registry)
        self.plans = plans
    }

    static func error(_ message: String, _ file: String, _ place: TextPlace) -> HostError {
        HostError(.badConfiguration, "\(file):\(place.line):\(place.column): \(message)")
    }

    private static func plan(
        _ member: JSONNode.Member,
        _ file: String,
        _ environment: EnvironmentOptions,
        _ registry: Registry
    ) throws(HostError) -> Plan {
        guard case .object(var members) = member.value.value else {
            throw error("the pipeline '\(member.name)' must be an object", file, member.value.place)
        }
        guard !member.name.isEmpty else { throw error("a pipeline needs a name", file, member.place) }
        let named = members.filter { workNames.contains($0.name) }
        guard let first = named.first, named.count == 1 else {
            // It may be a typo, which is then reported first.
            if named.isEmpty,
                let near = members.first(where: { Suggestion.nearest(to: $0.name, among: workNames) != nil })
            {
                throw error(
                    "there is no '\(near.name)'" + Suggestion.text(for: near.name, among: workNames),
                    file,
                    near.place
                )
            }
            throw error(
                "the pipeline '\(member.name)' needs \(named.isEmpty ? "a" : "one") 'plugin', 'plugins', 'match' or 'rules'",
                file,
                member.place
            )
        }
        members.removeAll { $0.name == first.name }
        let work = try work(first.value, of: first.name, besides: members, file, registry)
        let known = work.accepted.filter {
            !RunOptions.namesOfProgram.contains($0.name) && $0.name != OptionDeclaration.rules.name
        }
        var options: [String: String] = [:]
        var places = [first.name: first.value.place]
        for option in members {
            guard let found = known.first(where: { $0.name == option.name }) else {
                throw error(
                    "there is no option '\(option.name)'"
                        + Suggestion.text(
                            for: option.name,
                            among: known.map(\.name) + ["plugin"],
                            otherwise: "'weir \(work.help) --help' lists them"
                        ),
                    file,
                    option.place
                )
            }
            places[option.name] = option.value.place
            options[option.name] = try value(
                option,
                file,
                takesValue: found.takesValue,
                isRepeatable: found.isRepeatable
            )
        }
        try environment.fill(&options, known)
        let arguments = PipelineArguments(plugins: work.plugins, rules: work.rules, places: [], options: options)
        guard arguments[.from] != nil else {
            throw error("the pipeline '\(member.name)' needs an input, 'from'", file, member.place)
        }
        return Plan(name: member.name, file: file, arguments: arguments, place: member.place, places: places)
    }

    /// What an option would be on a command line; `nil` where it is not given.
    private static func value(
        _ option: JSONNode.Member,
        _ file: String,
        takesValue: Bool,
        isRepeatable: Bool
    ) throws(HostError) -> String? {
        switch option.value.value {
        case .boolean(let isOn) where !takesValue: return isOn ? "" : nil
        case _ where !takesValue:
            throw error("'\(option.name)' is true or false, not \(option.value.value.kind)", file, option.value.place)
        case .text, .number: return try texts(option.value, file, of: option.name).first
        case .array where isRepeatable:
            let values = try texts(option.value, file, of: option.name)
            guard !values.isEmpty else {
                throw error("'\(option.name)' has nothing in its list", file, option.value.place)
            }
            return values.joined(separator: "\n")
        case .object(let members) where !RunOptions.names.contains(option.name):
            // A mapping: the same as `key=name,key=name`, or as the option given for each pair.
            let separator: Character = isRepeatable ? "\n" : ","
            var pairs: [String] = []
            for member in members {
                guard case .text(let name) = member.value.value, !name.isEmpty else {
                    throw error("'\(member.name)' must be a name in quotes", file, member.value.place)
                }
                let pair = "\(member.name)=\(name)"
                guard !pair.contains(where: { $0 == separator || $0.isNewline }) else {
                    let flaw = isRepeatable ? "the end of a line" : "a comma, or the end of a line,"
                    throw error("'\(pair)' has \(flaw) in it", file, member.value.place)
                }
                pairs.append(pair)
            }
            return pairs.joined(separator: String(separator))
        default:
            throw error("'\(option.name)' cannot be \(option.value.value.kind)", file, option.value.place)
        }
    }

    /// One text, or a list of them.
    static func texts(_ node: JSONNode, _ file: String, of name: String) throws(HostError) -> [String] {
        switch node.value {
        case .text(let text), .number(let text):
            guard !text.isEmpty, !text.contains(where: \.isNewline) else {
                throw error("'\(name)' needs a value", file, node.place)
            }
            return [text]
        case .array(let nodes):
            var all: [String] = []
            for node in nodes {
                if case .array = node.value { throw error("'\(name)' is a list of texts", file, node.place) }
                all += try texts(node, file, of: name)
            }
            return all
        default: throw error("'\(name)' is a text or a list of texts, not \(node.value.kind)", file, node.place)
        }
    }

    /// Checks that no pipeline writes to a file that another one writes to or reads, nor to the configuration, and that
    /// what can be read once is read by one.
    ///
    /// Pipelines that cannot be understood are left out; starting them says why.
    private static func checkFiles(
        of plans: [Plan],
        _ path: String,
        _ registry: Registry
    ) throws(HostError) {
        let configuration = Overwriting.identity(ofPath: path)
        let requests = plans.compactMap { plan in (try? plan.request(registry)).map { (plan: plan, request: $0) } }
        var owners: [Overwriting.Identity: String] = [:]
        for (plan, request) in requests {
            // Standard output is there for all.
            for (option, output) in request.namedOutputs where output.transport.scheme != "stdout" {
                guard let file = Overwriting.identity(output, standard: .output) else { continue }
                if file == configuration {
                    throw error(
                        "'\(output.name)' is this configuration, which would be overwritten; write to another file",
                        plan.file,
                        plan.places[option.name] ?? plan.place
                    )
                }
                if let owner = owners[file], owner != plan.name {
                    throw error(
                        "'\(output.name)' is an output of the pipeline '\(owner)' already; write to another file",
                        plan.file,
                        plan.places[option.name] ?? plan.place
                    )
                }
                owners[file] = plan.name
            }
        }
        var readers: [String: String] = [:]
        for (plan, request) in requests {
            for input in request.inputAddresses {
                guard let stream = input.stream else { continue }
                if let reader = readers[stream] {
                    throw error(
                        "'\(input.name)' is read by the pipeline '\(reader)' already, and can be read once",
                        plan.file,
                        plan.places[OptionDeclaration.from.name] ?? plan.place
                    )
                }
                readers[stream] = plan.name
            }
            // A file that is followed may well be what another pipeline writes.
            for input in request.inputAddresses where !input.place.contains("follow=true") {
                guard let file = Overwriting.identity(input, standard: .input), let owner = owners[file],
                    owner != plan.name
                else { continue }
                throw error(
                    "'\(input.name)' is an output of the pipeline '\(owner)', which would empty it; read another file",
                    plan.file,
                    plan.places[OptionDeclaration.from.name] ?? plan.place
                )
            }
        }
    }
}
