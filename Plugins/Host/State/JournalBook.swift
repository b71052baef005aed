internal import WeirCore
internal import WeirRecording
internal import WeirRecords
internal import WeirState

/// The journals of a run's inputs, by the names of these.
///
/// Thread safety: any thread; inputs are opened by threads of their own.
final class JournalBook: Sendable {
    let settings: Journal.Settings
    private let folder: String
    private let journals = Locked<[String: Journal]>([:])

    /// Creates a book; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - folder: That of the state, which the run has to itself when inputs are opened.
    ///   - settings: How and how much is kept.
    init(in folder: String, _ settings: Journal.Settings) {
        (self.folder, self.settings) = (folder, settings)
    }

    /// Opens a source that keeps what arrives, behind what was kept and is not processed yet.
    ///
    /// - Parameters:
    ///   - source: Where it arrives.
    ///   - input: What the input is called.
    ///   - place: Where in the journal to begin; `nil` for its first byte.
    ///   - head: What came before that place and says what follows.
    /// - Returns: The source.
    /// - Throws: `TransportError` when the journal cannot be read, or has not what comes behind the place.
    func source(
        _ source: any TransportSource,
        of input: String,
        from place: Int64?,
        behind head: [UInt8] = []
    ) throws(TransportError) -> JournaledSource {
        let journal = try Journal(in: folder, of: input, settings)
        let opened = try JournaledSource(
            source,
            journal,
            from: place ?? journal.extent.lowerBound,
            behind: head
        )
        journals.withLock { $0[input] = journal }
        return opened
    }

    /// Where the journal of an input ends.
    func end(of input: String) throws(TransportError) -> Int64 {
        try Journal(in: folder, of: input, settings).extent.upperBound
    }

    /// Removes what a checkpoint covers.
    func noteCheckpoint(_ checkpoint: RunCheckpoint) {
        let journals = journals.withLock { $0 }
        for input in checkpoint.inputs {
            guard case .bytes(let place) = input.place, let journal = journals[input.name] else { continue }
            journal.noteCheckpoint(covering: place.position.offset)
        }
    }

    /// Whether a checkpoint would be of use before it is due.
    var wantsCheckpoint: Bool { journals.withLock { $0.values.contains { $0.wantsCheckpoint } } }

    /// How many bytes are kept, and how many could not be.
    var byteCounts: (kept: Int64, lost: UInt64) {
        journals.withLock { journals in
            (
                journals.values.reduce(0) { $0 + $1.byteCount },
                journals.values.reduce(0) { $0 + $1.lostByteCount }
            )
        }
    }
}

extension OptionDeclaration {
    static let journal = OptionDeclaration(
        "journal",
        .flag,
        help: "keep what sockets and stdin bring until it is saved"
    )
    static let journalLimit = OptionDeclaration(
        "journal-limit",
        .byteCount(1 << 16...1 << 50),
        default: "1GiB",
        help: "keep at most this much of each input"
    )
    static let journalFull = OptionDeclaration(
        "journal-full",
        .choice(Journal.Policy.allCases.map(\.rawValue)),
        default: Journal.Policy.stop.rawValue,
        help: "with no room: stop the run, or lose what a kill costs"
    )
}

extension RunRequest.Input {
    /// Whether what arrives cannot be read again, unless it is kept.
    var isTransient: Bool {
        guard case .address(let address) = source else { return false }
        // What a server keeps is read again from there.
        let isKept = (address.transport as? any ResumableTransport)?.canResume(address.place) ?? false
        return (address.hasMessages(.input) && !isKept) || address.stream != nil
    }

    /// Whether senders are to be told what is safe.
    var acknowledges: Bool {
        guard case .address(let address) = source else { return false }
        return (try? TransportAddress(ofSource: address.place, address.transport))?.options.given["ack"] == "true"
    }
}

extension RunRequest {
    /// Whether what an input brings is kept in a journal.
    func isJournaled(_ input: Input) -> Bool { state?.journals != nil && input.isTransient && input.hasPlaces }

    /// Whether what has arrived and was not read yet would be lost where the run ends with an interruption.
    var losesWhatWaits: Bool { inputs.contains { $0.isTransient && !canResume($0) } }

    /// Checks what can be known of journals before anything is opened.
    ///
    /// - Throws: ``HostError`` for inputs that cannot be kept, and answers that would never come.
    func checkJournals() throws(HostError) {
        for input in inputs where input.acknowledges && state?.journals == nil {
            throw .usage(
                "'\(input.name)': 'ack=true' tells senders what is safe, which nothing is without a journal; "
                    + "add --state DIR --journal"
            )
        }
        guard let journals = state?.journals else { return }
        for input in inputs where input.acknowledges && journals.settings.policy == .lose {
            throw .usage(
                "'\(input.name)': 'ack=true' tells senders what is safe, and --journal-full lose goes on with what is "
                    + "not; leave out one of them"
            )
        }
        guard inputs.contains(where: \.isTransient) else {
            throw .usage("--journal: the inputs can be read again without it; leave it out")
        }
        for input in inputs where input.isTransient {
            guard input.hasPlaces else {
                throw .usage("--journal: what '\(input.name)' brings is known by its start alone, as its format is")
            }
            guard !showsForm(input) else {
                throw .usage(
                    "--journal: say how '\(input.name)' is written, with --format"
                        + (queries == nil ? "" : " and --time") + ": its first lines may be gone when it is read on"
                )
            }
        }
    }

    /// Where in its journal an input begins of which nothing was read, or nothing that fits.
    ///
    /// - Returns: `nil` for its first byte.
    func journalPlace(of input: Input, _ resumption: Resumption?) throws(HostError) -> Int64? {
        guard let resumption else { return nil }
        let saved = resumption.checkpoint.inputs.first { $0.name == input.name }?.place
        if case .bytes(let place)? = saved, place.line == 0 { return place.position.offset }
        do throws(TransportError) {
            return try state?.journals?.end(of: input.name)
        } catch {
            throw HostError(error, opening: .noInput)
        }
    }

    /// Opens an input whose bytes are kept, behind those of the journal that come before a place.
    func journaledSource(
        of input: Input,
        from place: Int64?,
        _ meters: TransportMeters?
    ) throws(HostError) -> any TransportSource {
        guard let journals = state?.journals else { return try openSource(of: input, meters) }
        let source = try openSource(of: input)
        do throws(TransportError) {
            let kept = try journals.source(source, of: input.name, from: place)
            // The meter is of the journal, too.
            watch(kept, of: input, meters)
            return kept
        } catch {
            throw HostError(error, opening: .noInput)
        }
    }
}
