internal import WeirCore
internal import WeirFiles
internal import WeirFormats
internal import WeirRecords

// Which fields a conversion writes.
extension Conversion {
    /// How much of an input that cannot be read twice is looked at to find its fields.
    private static let surveyedByteCount = 1 << 20

    /// Finds out which fields there are, unless that was said.
    ///
    /// - Parameters:
    ///   - request: What to do.
    ///   - source: The input.
    /// - Returns: The fields, and the input from its start.
    /// - Throws: ``HostError`` when the fields cannot be found.
    static func survey(
        _ request: ConvertRequest,
        _ source: any TransportSource
    ) throws(HostError) -> (fields: [ConvertRequest.Column], source: any TransportSource) {
        if let columns = request.columns { return (columns, source) }
        do {
            // Only a file is there a second time.
            let canReadTwice = canReadTwice(request, source)
            let once = SurveyedSource(source)
            let survey = try FieldSurvey(
                canReadTwice ? try openSource(request.input) : once,
                format: request.format,
                limits: request.limits,
                keeping: canReadTwice ? nil : surveyedByteCount
            )
            // Found out now, while what was there before under the name of the output still is.
            var seen: Set<String> = []
            if let name = survey.names.first(where: { !seen.insert($0).inserted }) {
                throw FormatError.duplicateField(name)
            }
            let fields = survey.names.map { ConvertRequest.Column(name: $0, inputName: $0) }
            guard !canReadTwice else { return (fields, source) }
            try once.endLook(after: survey.bytes)
            return (fields, HeadKeepingSource(once, keepsHead: false, after: survey.bytes))
        } catch let error as FormatError {
            throw HostError(.noInput, explain(error, request))
        } catch let error as HostError {
            throw error
        } catch TransportError.interrupted(let place) {
            throw HostError(.interrupted, "\(TransportError.interrupted(address: place))")
        } catch {
            throw HostError(.noInput, "\(error)")
        }
    }

    static func schema(
        _ request: ConvertRequest,
        _ fields: [ConvertRequest.Column]
    ) throws(HostError) -> OutputSchema {
        let names = fields.map(\.name)
        for (name, _) in request.types where !names.contains(name) {
            throw .usage(
                "--schema: there is no field '\(name)'"
                    + Suggestion.text(
                        for: name,
                        among: names,
                        otherwise: "there are \(names.map { "'\($0)'" }.joined(separator: ", "))"
                    )
            )
        }
        // What the binary format can count.
        guard names.count <= Int(UInt16.max), names.allSatisfy({ $0.utf8.count <= Int(UInt16.max) }) else {
            throw HostError(
                .noInput,
                "the input has too many fields, or one with too long a name; name some with --columns"
            )
        }
        let headerLength = names.reduce(32) { $0 + $1.utf8.count + 3 }
        guard headerLength <= request.limits.lineLength else {
            throw HostError(
                .noInput,
                "the names of the fields take more than \(request.limits.lineLength) bytes; --max-line raises the limit"
            )
        }
        var schema = OutputSchema(
            fields: names.map { name in
                OutputSchema.Field(name, type: request.types.first { $0.name == name }?.type)
            },
            tellsTextFromNumbers: request.format.tellsTextFromNumbers,
            limits: request.limits
        )
        schema.times = request.times
        return schema
    }

    static func explain(_ error: FormatError, _ request: ConvertRequest) -> String {
        let place = request.input.name == "stdin" ? "standard input" : "'\(request.input.name)'"
        var text = "\(place) cannot be read as \(request.format.name): \(error)"
        switch error {
        case .badHeader: text += "; --format says how it is written, and 'weir guess' finds out"
        case .missingFields: text += "; --columns says which to read"
        case .duplicateField, .compressed: break
        }
        return text
    }

    /// Whether a table is written behind the one that is in the file.
    ///
    /// - Throws: ``HostError`` when that has other columns.
    static func goesOnWithTable(
        _ request: ConvertRequest,
        _ fields: [ConvertRequest.Column]
    ) throws(HostError) -> Bool {
        guard let table = request.outputFormat as? CSVFormat, table.dialect.headerLineCount > 0 else { return false }
        let columns = try request.output.existingColumns(of: table)
        guard !columns.isEmpty else { return false }
        guard columns == fields.map(\.name) else {
            let names = columns.map { "'\($0)'" }.joined(separator: ", ")
            throw HostError(
                .cannotCreate,
                "'\(request.output.name)' has other columns, \(names); choose them with --columns, or write to another file"
            )
        }
        return true
    }

    /// Whether the input is there a second time.
    private static func canReadTwice(_ request: ConvertRequest, _ source: any TransportSource) -> Bool {
        request.input.isFile && (source.expectedByteCount != nil || source is DecompressingSource)
    }

    /// Opens the input, and has its first lines show the format where nothing else says that.
    static func openSource(_ request: inout ConvertRequest) throws(HostError) -> any TransportSource {
        let source = try openSource(request.input)
        guard request.isFormatGuessed else { return source }
        let start = HeadKeepingSource(source, keepsHead: false)
        do throws(TransportError) {
            let lines = try start.firstLines(limit: request.limits.lineLength)
            request.format = FormatChoice.format(shownBy: lines, otherwise: request.format)
        } catch {
            if case .interrupted = error { throw HostError(.interrupted, "\(error)") }
            // What can be read is converted all the same, and the reader comes to the same place.
        }
        return canReadTwice(request, source) ? try openSource(request.input) : start
    }

    private static func openSource(_ address: Address) throws(HostError) -> any TransportSource {
        do throws(TransportError) {
            return try address.transport.openSource(address.place)
        } catch {
            throw HostError(error, opening: .noInput)
        }
    }
}
