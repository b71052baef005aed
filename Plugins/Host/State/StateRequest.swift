internal import WeirCore
internal import WeirFiles
internal import WeirRecording
internal import WeirRecords
internal import WeirState

/// What `--state` asks for.
struct StateRequest: Sendable {
    /// What waits until the disk has it.
    enum Durability: String, CaseIterable, Sendable {
        /// Outputs after each batch with matches, and checkpoints.
        case always
        /// Outputs with each checkpoint, and checkpoints.
        case interval
        /// Nothing: what a power cut leaves is up to the system.
        case never
    }

    /// The option that asks for it.
    var option = OptionDeclaration.state

    /// The folder of this pipeline.
    let folder: String

    /// How long after a checkpoint the next one is taken.
    let interval: Duration

    /// Whether to go on with what fits where the pipeline or its inputs are others than before.
    var dropsMismatch: Bool
    let durability: Durability

    /// What the state depends on.
    let settings: [RunCheckpoint.Setting]

    /// What keeps what sockets bring; `nil` where nothing does.
    var journals: JournalBook?
}

/// The options that say how a run survives its end.
extension OptionDeclaration {
    static let state = OptionDeclaration(
        "state",
        .text(placeholder: "DIR"),
        help: "save the state there, and go on from it"
    )
    static let checkpoint = OptionDeclaration(
        "checkpoint",
        .duration,
        default: "10s",
        help: "save the state this often"
    )
    static let stateMismatch = OptionDeclaration(
        "state-mismatch",
        .choice(["refuse", "drop"]),
        default: "refuse",
        help: "with 'drop', go on with what fits"
    )
    static let fsync = OptionDeclaration(
        "fsync",
        .choice(StateRequest.Durability.allCases.map(\.rawValue)),
        default: StateRequest.Durability.interval.rawValue,
        help: "when to wait for the disk"
    )
}

extension RunRequest {
    /// What the state does not depend on: how the run is watched, and how it is saved.
    private static let indifferent: Set<String> = Set(
        [
            OptionDeclaration.state, .checkpoint, .stateMismatch, .fsync, .strict, .restarts, .config, .control,
            .metrics,
            .live, .showHelp, .report, .idleTimeout, .from, .to, .rejected, .late, .journalLimit, .journalFull, .group,
            .partitions,
        ].map(\.name)
    )

    /// What `--state` asks for; `nil` where it is not given.
    static func state(
        _ arguments: PipelineArguments,
        name: String?
    ) throws(HostError) -> StateRequest? {
        guard let folder = arguments[.state] else {
            let ofGroups: Set =
                arguments[.group] == nil
                ? [] : [OptionDeclaration.checkpoint.name, OptionDeclaration.stateMismatch.name]
            for option in [OptionDeclaration.checkpoint, .stateMismatch, .fsync, .journal]
            where arguments[option] != nil && !ofGroups.contains(option.name) {
                throw .usage("--\(option.name) is of use only with --state DIR")
            }
            return nil
        }
        guard !folder.isEmpty, !folder.utf8.contains(0) else { throw .usage("--state: name a folder") }
        let interval = try arguments.options.duration(.checkpoint) ?? .seconds(10)
        guard interval > .zero else { throw .usage("--checkpoint: must be longer than 0") }
        if arguments[.report] != nil {
            throw .usage("--report draws what one run sees, and --state goes on with another's; leave one out")
        }
        let keepsJournals = arguments[.journal] != nil
        for option in [OptionDeclaration.journalLimit, .journalFull] where !keepsJournals && arguments[option] != nil {
            throw .usage("--\(option.name) is of use only with --journal")
        }
        let settings = settings(arguments)
        let place = name.map { "\(folder)/\(fileName(of: $0))" } ?? folder
        let durability = StateRequest.Durability(rawValue: try arguments.options.choice(.fsync) ?? "") ?? .interval
        let dropsMismatch = try arguments.options.choice(.stateMismatch) == "drop"
        let kept = Journal.Settings(
            limit: Int64(try arguments.options.integer(.journalLimit) ?? 1 << 30),
            policy: Journal.Policy(rawValue: try arguments.options.choice(.journalFull) ?? "") ?? .stop,
            isDurable: durability == .always,
            dropsDamage: dropsMismatch
        )
        return StateRequest(
            folder: place,
            interval: interval,
            dropsMismatch: dropsMismatch,
            durability: durability,
            settings: settings,
            journals: keepsJournals ? JournalBook(in: place, kept) : nil
        )
    }

    /// What the state depends on.
    static func settings(_ arguments: PipelineArguments) -> [RunCheckpoint.Setting] {
        var settings = [
            RunCheckpoint.Setting(
                name: arguments.rules == nil ? "plugins" : "rules",
                value: arguments.rules.map(\.fingerprint) ?? arguments.plugins.joined(separator: " ")
            )
        ]
        for (option, value) in arguments.options.sorted(by: { $0.key < $1.key })
        where !indifferent.contains(option) && option != OptionDeclaration.rules.name {
            // Threads that only read change nothing of what is known.
            if option == OptionDeclaration.workers.name, arguments[.partitionBy] == nil { continue }
            settings.append(RunCheckpoint.Setting(name: "--\(option)", value: value))
        }
        return settings
    }

    /// The name of a pipeline as that of a folder: other pipelines have others.
    private static func fileName(of name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch Unicode.Scalar(byte) {
            case let plain where plain.isASCII && plain.properties.isAlphabetic: text.unicodeScalars.append(plain)
            case let plain where ("0"..."9").contains(plain) || plain == "-" || plain == "_":
                text.unicodeScalars.append(plain)
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Checks what can be known of keeping the state before anything is opened.
    ///
    /// - Parameter plugins: The plugins, which were started.
    /// - Throws: ``HostError`` with what cannot be saved.
    func checkState(of plugins: RunningPlugins) throws(HostError) {
        guard let state else { return }
        do throws(StateFolder.Refusal) {
            try StateFolder.check(state.folder, mayBeEmpty: true)
        } catch {
            throw HostError(.cannotCreate, "--state: \(error)")
        }
        for input in inputs {
            guard case .address(let address) = input.source else { continue }
            if let obstacle = (address.transport as? any ResumableTransport)?.stateObstacle(address.place) {
                throw .usage("'\(input.name)': \(obstacle)")
            }
            // Another run would begin at its start, and find all again.
            guard !address.isFile || !address.isLive || input.hasPlaces else {
                throw .usage(
                    "'\(input.name)' is followed, and --state knows no places in the format \(input.format.name); pipe it in, as "
                        + "with 'tail -F \(address.path) | weir ...', which reads each record at most once"
                )
            }
        }
        try plugins.checkThatStateCanBeSaved(for: .state)
        for (option, output) in namedOutputs {
            if output.isFile, Compression(endingOf: output.path) != nil {
                throw .usage(
                    "--\(option.name): '\(output.name)' is compressed, and --state cuts outputs back to a place between "
                        + "two matches; write to a plain file"
                )
            }
            if output.isRecording {
                throw .usage(
                    "--\(option.name): '\(output.name)' is a recording, and --state cuts outputs back to a place between "
                        + "two matches; write to a plain file"
                )
            }
        }
    }

    /// What cannot be resumed exactly, in one line each.
    var stateRemarks: [String] {
        guard state != nil else { return [] }
        var remarks: [String] = []
        for input in inputs where !canResume(input) {
            remarks.append(
                "'\(input.name)' cannot be read again: what comes between the last checkpoint and a kill is lost "
                    + "(at most once)"
            )
        }
        for (_, output) in namedOutputs where !output.canBeCutBack {
            remarks.append(
                "'\(output.name)' cannot be cut back: what is written between the last checkpoint and a kill is "
                    + "written again (at least once)"
            )
        }
        return remarks
    }
}

extension RuleTexts {
    /// What tells these rules from others.
    fileprivate var fingerprint: String {
        language + "\n" + rules.map { "\($0.name)\n\($0.text)" }.joined(separator: "\n---\n")
    }
}

extension Address {
    /// Whether it is a file, which can be cut back to what it had.
    var canBeCutBack: Bool { isFile && !FileSystem.isStream(path) }
}
