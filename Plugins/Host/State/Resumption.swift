internal import WeirFiles
internal import WeirRecords
internal import WeirState

/// What a run goes on from, and what becomes of that which does not fit any more.
///
/// Thread safety: a value; inputs are opened by threads of their own.
struct Resumption: Sendable {
    let checkpoint: RunCheckpoint
    let request: StateRequest
    let remark: @Sendable (String) -> Void

    /// Says what does not fit, or refuses it.
    ///
    /// - Parameters:
    ///   - what: What does not fit.
    ///   - consequence: What becomes of it with `--state-mismatch drop`.
    /// - Throws: ``HostError`` unless that was given.
    func drop(_ what: String, _ consequence: String) throws(HostError) {
        guard request.dropsMismatch else {
            throw HostError(.noInput, "--\(request.option.name): \(what); with --state-mismatch drop, \(consequence)")
        }
        remark("\(what); \(consequence)")
    }

    /// Where an input was; `nil` where it begins.
    func place(of input: RunRequest.Input) -> RunCheckpoint.Input.Place? {
        switch checkpoint.inputs.first(where: { $0.name == input.name })?.place {
        case nil, .unknown?: nil
        // Nothing was read of it, and which file it was is not known.
        case .bytes(let place)? where place.line == 0 && place.position.node == 0: nil
        case let place?: place
        }
    }

    func byteCount(of input: RunRequest.Input) -> Int64 {
        checkpoint.inputs.first { $0.name == input.name }?.byteCount ?? 0
    }

    /// Checks that the inputs are those of before.
    ///
    /// - Throws: ``HostError`` when they are not, unless that is allowed.
    func check(_ inputs: [RunRequest.Input]) throws(HostError) {
        for old in checkpoint.inputs where !inputs.contains(where: { $0.name == old.name }) {
            try drop("'\(old.name)' is no input any more", "its place is forgotten")
        }
        for input in inputs where !checkpoint.inputs.contains(where: { $0.name == input.name }) {
            try drop("'\(input.name)' is a new input", "it is read from its start")
        }
    }

    /// Records that were read and not handed on, such as those that waited for their turn; `nil` where there are none.
    ///
    /// - Throws: ``HostError`` when they have other fields than are wanted now, unless that is allowed.
    func records(_ name: String, schema: RecordSchema) throws(HostError) -> KeptRecords? {
        guard let part = checkpoint.parts.first(where: { $0.name == name }) else { return nil }
        guard let records = KeptRecords(part.bytes, schema: schema) else {
            try drop("the records that waited have other fields than those that are read now", "they are lost")
            return nil
        }
        return records
    }
}

extension RunRequest {
    /// Whether an input can be read again from where it was.
    func canResume(_ input: Input) -> Bool {
        if isJournaled(input) { return true }
        switch input.source {
        case .demo: return true
        case .address(let address):
            guard (address.transport as? any ResumableTransport)?.canResume(address.place) ?? false else {
                return false
            }
            // What is counted by records is read from the start, which rotation takes away.
            return !address.isLive || input.hasPlaces
        }
    }

    /// Where an input is of which nothing was read.
    func startPlace(of input: Input) -> RunCheckpoint.Input.Place? {
        guard state != nil else { return nil }
        guard canResume(input) else { return .unknown }
        var position = SourcePosition(offset: 0)
        // The file may have another name once something was read.
        if case .address(let address) = input.source, address.isFile, address.isLive, !address.startsAtEnd,
            !isJournaled(input)
        {
            position = startPosition(of: input)
        }
        return .bytes(RunCheckpoint.BytePlace(position: position, prelude: [], unread: [], line: 0))
    }

    /// Opens an input where it was.
    ///
    /// - Parameters:
    ///   - input: The input.
    ///   - meters: Where to add its meter.
    ///   - resumption: What the run goes on from; `nil` where it begins.
    /// - Returns: Its bytes, and where they are; `nil` at the start.
    /// - Throws: ``HostError`` when it cannot be opened, or is not what was read.
    func resumedSource(
        of input: Input,
        _ meters: TransportMeters?,
        _ resumption: Resumption?
    ) throws(HostError) -> (source: HeadKeepingSource, place: RunCheckpoint.Input.Place?) {
        if let resumption, let place = resumption.place(of: input) {
            do throws(TransportError) {
                let byteCount = resumption.byteCount(of: input)
                let source = try source(of: input, at: place, byteCount: byteCount, meters)
                if case .bytes(let place) = place, place.line == 0 { return (source, nil) }
                return (source, place)
            } catch {
                if case .interrupted = error { throw HostError(error, opening: .noInput) }
                try resumption.drop("\(error)", "it is read from its start")
            }
        }
        if isJournaled(input) {
            let source = try journaledSource(of: input, from: try journalPlace(of: input, resumption), meters)
            return (HeadKeepingSource(source, keepsHead: input.format.beginsWithHeader), nil)
        }
        var source = try openSource(of: input, meters)
        if state != nil, canResume(input), !(source is any PositionedSource) {
            source = CountedSource(source, at: startPosition(of: input))
        }
        return (HeadKeepingSource(source, keepsHead: input.format.beginsWithHeader), nil)
    }

    private func startPosition(of input: Input) -> SourcePosition {
        guard case .address(let address) = input.source else { return SourcePosition(offset: 0) }
        return SourcePosition(ofFile: address.path, handedOut: 0) ?? SourcePosition(offset: 0)
    }

    private func source(
        of input: Input,
        at place: RunCheckpoint.Input.Place,
        byteCount: Int64,
        _ meters: TransportMeters?
    ) throws(TransportError) -> HeadKeepingSource {
        func opened(at position: SourcePosition, behind head: [UInt8] = []) throws(TransportError)
            -> any TransportSource
        {
            guard case .address(let address) = input.source else { return try open(input, at: position) }
            let source: any TransportSource
            if let journals = state?.journals, isJournaled(input) {
                source = try journals.source(
                    address.transport.openSource(address.place),
                    of: input.name,
                    from: position.offset,
                    behind: head
                )
            } else {
                source = try open(input, at: position)
            }
            watch(source, of: input, meters)
            return source
        }
        switch place {
        case .unknown: throw .cannotOpen(address: input.name, reason: "it cannot be read again")
        case .bytes(let place) where place.line == 0:
            // Nothing was read of the file, which may have another name by now.
            return HeadKeepingSource(
                try opened(at: place.position),
                keepsHead: input.format.beginsWithHeader
            )
        case .bytes(let place):
            return HeadKeepingSource(
                try opened(at: place.position, behind: place.prelude),
                goingOnAfter: input.format.beginsWithHeader ? place.prelude : [],
                place.unread,
                byteCount: byteCount
            )
        case .records(let place):
            // It has what was read, and that is read again.
            _ = try opened(at: place.position)
            return HeadKeepingSource(try opened(at: place.position.start), keepsHead: input.format.beginsWithHeader)
        }
    }

    private func open(_ input: Input, at position: SourcePosition) throws(TransportError) -> any TransportSource {
        switch input.source {
        case .demo(let seed):
            let source = instances[0].plugin.makeDemo(seed: seed)
            try source.skip(position.offset, address: input.name)
            return CountedSource(source, at: position)
        case .address(let address):
            guard let transport = address.transport as? any ResumableTransport else {
                throw .cannotOpen(address: address.name, reason: "it cannot be read again")
            }
            return try transport.openSource(address.place, at: position)
        }
    }

    /// The first lines of an input that goes on behind them, where they show how it is written.
    ///
    /// - Returns: The lines; `nil` where the input begins with them.
    /// - Throws: ``HostError`` when they cannot be read again.
    func firstLines(
        of input: Input,
        before place: RunCheckpoint.Input.Place?
    ) throws(HostError) -> [UInt8]? {
        guard case .bytes(let place)? = place, showsForm(input) else { return nil }
        // The line that names the columns is kept with the place.
        guard place.prelude.isEmpty else { return place.prelude }
        do throws(TransportError) {
            return try HeadKeepingSource(open(input, at: place.position.start), keepsHead: false)
                .firstLines(limit: ShownReading.byteCount)
        } catch {
            throw HostError(error, opening: .noInput)
        }
    }
}

extension SourcePosition {
    /// The start of the same file.
    fileprivate var start: SourcePosition {
        var start = self
        (start.offset, start.tail) = (0, [])
        return start
    }
}

extension RunRequest.Input {
    /// Whether places between its records are known by bytes, and not by counting records.
    var hasPlaces: Bool {
        format.makeDecoder(for: RecordSchema(fields: []), limits: FormatLimits()) is any SplittableDecoder
    }
}
