internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// What the pipelines of one program write to: standard output, which is opened once for all, and files, which are
/// emptied once.
///
/// Thread safety: any thread.
final class SharedOutputs: Sendable {
    /// An output that is open.
    fileprivate final class OpenOutput: Sendable {
        private let sink: Locked<any TransportSink>

        init(_ sink: sending any TransportSink) {
            self.sink = Locked(sink)
        }

        func write(_ bytes: [UInt8]) throws(TransportError) {
            try sink.withLock { sink throws(TransportError) in try sink.write(bytes) }
        }
    }

    private let outputs = Locked<[String: OpenOutput]>([:])

    /// The files that something of this run is in, by their whole paths.
    private let begun = Locked<Set<String>>([])

    /// Where a pipeline writes that is started: behind what this run has written there already.
    ///
    /// - Throws: ``HostError`` when the address cannot be understood.
    func continuing(_ address: Address) throws(HostError) -> Address {
        guard address.isFile || address.isRecording, let path = FileSystem.wholePath(address.path),
            begun.withLock({ $0.contains(path) })
        else { return address }
        return try address.appending()
    }

    /// Records that a pipeline writes there from now on.
    func begin(_ address: Address) {
        guard address.isFile || address.isRecording, let path = FileSystem.wholePath(address.path) else { return }
        _ = begun.withLock { $0.insert(path) }
    }

    /// Opens an output, or joins those who have it open.
    ///
    /// - Throws: ``HostError`` when it cannot be opened.
    func open(_ address: Address) throws(HostError) -> any TransportSink {
        guard address.transport.scheme == "stdout" else { return try address.openSink(isSafe: true) }
        return SharedSink(
            try outputs.withLock { outputs throws(HostError) in
                if let output = outputs[address.name] { return output }
                let output = try address.openShared()
                outputs[address.name] = output
                return output
            }
        )
    }
}

/// A pipeline's handle on a shared output.
private final class SharedSink: TransportSink {
    private let output: SharedOutputs.OpenOutput

    init(_ output: SharedOutputs.OpenOutput) {
        self.output = output
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count)
        for index in bytes.indices { copy.append(bytes[index]) }
        try output.write(copy)
    }
}

extension Address {
    fileprivate func openShared() throws(HostError) -> SharedOutputs.OpenOutput {
        do throws(TransportError) {
            return SharedOutputs.OpenOutput(try transport.openSink(place))
        } catch .interrupted(let place) {
            throw HostError(.interrupted, "\(TransportError.interrupted(address: place))")
        } catch {
            throw HostError(error, opening: .cannotCreate)
        }
    }
}

/// The outputs of one pipeline: each gets every match.
final class Outlets {
    /// An output, and how matches are written to it.
    private struct Outlet {
        let address: Address
        let sink: any TransportSink

        /// `nil` where matches go out as they are taken.
        var styler: (any MatchStyler)?

        mutating func write(_ matches: [UInt8], _ text: inout [UInt8]) throws(TransportError) {
            guard styler != nil else { return try sink.write(matches) }
            text.removeAll(keepingCapacity: true)
            styler?.append(matches, to: &text)
            try sink.write(text)
            guard styler?.isForeign != true else {
                throw .writeFailed(address: address.name, reason: TableStyler.foreignTable)
            }
        }
    }

    private var outlets: [Outlet] = []
    private var text: [UInt8] = []
    private let context: Pipeline.Context
    private let name: String?

    /// Whether it is known that there is something to write; until then files are as they were.
    private(set) var hasBegun = false

    /// Whether one of the outputs is a table.
    private(set) var hasTable = false

    /// What outputs that were closed left out.
    private var leftOutBefore = LeftOutFields()

    /// Opens the outputs.
    ///
    /// - Throws: ``HostError`` when one cannot be opened.
    init(_ request: RunRequest, _ context: Pipeline.Context, _ meters: TransportMeters) throws(HostError) {
        self.context = context
        name = request.name
        let shared = context.outputs
        let isOnly = request.outputs.count == 1
        let columns = request.columns
        let takesLines = request.takesLines
        for output in request.outputs {
            let address = try shared?.continuing(output) ?? output
            let sink = if let shared { try shared.open(address) } else { try address.openSink(isSafe: true) }
            meters.add(sink.meter, name: isOnly ? "output" : "output '\(address.name)'")
            let style = request.style(of: address)
            let isTerminal = address.isTerminal
            if style.isTable { hasTable = true }
            let styler = style.makeStyler(
                isColoured: isOnly && isTerminal && Colour.isWanted,
                isForTerminal: isTerminal,
                columns: columns,
                header: style.isTable ? try address.existingColumns(besides: columns) : []
            )
            let patient = sink.patient(context.patience, at: address)
            outlets.append(Outlet(address: address, sink: patient, styler: takesLines ? nil : styler))
        }
    }

    /// Removes what was in the files, unless it is to stay.
    func begin() throws(TransportError) {
        guard !hasBegun else { return }
        for outlet in outlets {
            try outlet.sink.begin(outlet.address)
            context.outputs?.begin(outlet.address)
        }
        hasBegun = true
    }

    /// Writes matches to all outputs.
    ///
    /// - Parameter matches: In the form of the request.
    /// - Throws: ``TransportError/closed(address:)`` when the readers of all have gone; where one fails in another
    ///   way, its error, after the others have got the matches.
    func write(_ matches: [UInt8]) throws(TransportError) {
        try begin()
        var closed: TransportError?
        var fault: TransportError?
        for index in outlets.indices.reversed() {
            do throws(TransportError) {
                try outlets[index].write(matches, &text)
            } catch .closed(let address) {
                closed = .closed(address: address)
                if let styler = outlets.remove(at: index).styler { leftOutBefore.formUnion(styler.leftOut) }
                guard !outlets.isEmpty else { break }
                let remark = "nobody reads '\(address)' any more; the other outputs go on"
                context.console.writeLine(remark, about: name)
            } catch {
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        if outlets.isEmpty, let closed { throw closed }
    }

    /// Counts on after outputs whose place these take.
    func goOn(after leftOut: LeftOutFields) { leftOutBefore.formUnion(leftOut) }

    /// What matches have that there was no place for.
    var leftOut: LeftOutFields {
        outlets.reduce(into: leftOutBefore) { if let styler = $1.styler { $0.formUnion(styler.leftOut) } }
    }

    /// The fields of the template that no match has had.
    var missing: [String] { outlets.first?.styler?.missing.sorted() ?? [] }

    /// Delivers what the outputs still keep; files that nothing was to be written to stay as they were.
    ///
    /// - Throws: The first error, after all outputs had their turn.
    func finish() throws(TransportError) {
        var fault: TransportError?
        for outlet in outlets where hasBegun || !(outlet.address.isFile || outlet.address.isRecording) {
            do throws(TransportError) {
                try outlet.sink.finish()
            } catch {
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
    }
}

extension RunRequest {
    /// In which form its matches are taken from plugins.
    var matchForm: MatchForm { takesLines ? .lines : .styled }

    /// Whether all outputs get matches as plain lines of JSON, which no terminal shows.
    fileprivate var takesLines: Bool { outputs.allSatisfy { style(of: $0) == .json && !$0.isTerminal } }

    func style(of output: Address) -> MatchStyle { style ?? FormatChoice.style(forEndingOf: output) }

    /// The columns of a table of matches, as far as the plugins know them.
    var columns: [String] {
        var columns = instances.count > 1 ? ["plugin"] : []
        for instance in instances {
            for name in instance.plugin.matchFields(instance.values) where !columns.contains(name) {
                columns.append(name)
            }
        }
        return columns
    }
}
