internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

/// Starts a new line behind a line whose end was never written.
final class LineMendingSink: TransportSink {
    let meter: TransportMeter? = TransportMeter()

    private let sink: any TransportSink
    private var isMended = false

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - sink: Writes to the end of a file.
    ///   - path: The file.
    ///   - count: How many bytes of the unfinished line there are.
    init(_ sink: any TransportSink, path: String, unfinished count: Int64) {
        self.sink = sink
        meter?.note(
            "'\(path)' ends with \(Quantity.counted(UInt64(count), "byte", "bytes")) of a line that was cut off; "
                + "what follows begins on a line of its own"
        )
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        if !isMended, !bytes.isEmpty {
            try sink.write([UInt8(ascii: "\n")])
            isMended = true
        }
        try sink.write(bytes)
    }

    func finish() throws(TransportError) { try sink.finish() }
}

/// Keeps what is written, and puts it in the place of a file at the end.
final class ReplacingSink: TransportSink {
    private let path: String
    private var contents: [UInt8] = []

    /// Checks that the file can be replaced; it stays as it is until the end.
    ///
    /// - Throws: ``TransportError/cannotOpen(address:reason:)`` where it cannot.
    init(path: String) throws(TransportError) {
        self.path = path
        try FileSystem.checkReplaceable(path)
    }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        for index in bytes.indices { contents.append(bytes[index]) }
    }

    func finish() throws(TransportError) { try FileSystem.replaceFile(path, with: contents) }
}

extension TransportSink {
    /// Removes what was in a file, unless it is to stay; what is no file is left alone.
    ///
    /// Called when it is known that there is something to write: until then, what was there before is still of use.
    func begin(_ address: Address) throws(TransportError) {
        guard address.isFile || address.isRecording else { return }
        try write([UInt8]())
    }
}

extension Address {
    /// Opens a sink.
    ///
    /// - Parameters:
    ///   - forLines: Whether lines are written, which go into frames where the address says so, and begin on a line of
    ///     their own; otherwise the bytes go out as they are.
    ///   - isSafe: Whether what is written controls no terminal; otherwise a ``TerminalSink`` sees to that.
    /// - Returns: The sink; a file is as it was until something is written.
    /// - Throws: ``HostError`` when it cannot be opened.
    func openSink(forLines: Bool = true, isSafe: Bool = false) throws(HostError) -> any TransportSink {
        do throws(TransportError) {
            let isCompressed = Compression(endingOf: path) != nil
            let unfinished =
                forLines && isFile && appends && !isCompressed ? FileSystem.unfinishedLineLength(of: path) : 0
            let sink = try transport.openSink(place)
            if !isSafe, isTerminal { return TerminalSink(sink) }
            if unfinished > 0 { return LineMendingSink(sink, path: path, unfinished: unfinished) }
            return forLines && framing == Framing.length.rawValue ? LengthFramedSink(sink) : sink
        } catch {
            throw HostError(error, opening: .cannotCreate)
        }
    }

    /// Opens a sink for something that is of use only as a whole, such as a page.
    ///
    /// - Returns: The sink; a file is replaced when it is finished.
    /// - Throws: ``HostError`` when it cannot be opened.
    func openWholeSink() throws(HostError) -> any TransportSink {
        guard isFile, !appends, !FileSystem.isStream(path) else { return try openSink() }
        do throws(TransportError) {
            return try ReplacingSink(path: path)
        } catch {
            throw HostError(error, opening: .cannotCreate)
        }
    }

    /// The names in the first line of a table that is written on; none where there is no table yet.
    ///
    /// - Parameters:
    ///   - format: How the table is written.
    ///   - columns: The columns that the matches are known to have.
    /// - Returns: The names.
    /// - Throws: ``HostError`` when the file is no table, or one of something else: it lacks columns of the matches, and
    ///   has others.
    func existingColumns(
        of format: CSVFormat = CSVFormat(),
        besides columns: [String] = []
    ) throws(HostError) -> [String] {
        guard isFile, appends, FileIdentity(path: path) != nil else { return [] }
        let names: [String]
        do {
            let source = try FileTransport(handlesCompression: true).openSource(FileTransport.address(ofPath: path))
            names = try FieldSurvey(source, format: format, limits: FormatLimits()).names
        } catch {
            throw HostError(.cannotCreate, "'\(path)' cannot be written on as a table: \(error)")
        }
        if let missing = columns.first(where: { !names.contains($0) }),
            let other = names.first(where: { !columns.contains($0) })
        {
            throw HostError(
                .cannotCreate,
                "'\(path)' is a table of something else: it has '\(other)' and lacks '\(missing)'; write to another file"
            )
        }
        return names
    }
}
