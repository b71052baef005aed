internal import WeirCore
internal import WeirFiles
internal import WeirRecords

extension RunRequest {
    /// Whether a person types an input.
    var readsTerminal: Bool {
        inputs.contains { input in
            guard case .address(let address) = input.source else { return false }
            return address.transport.scheme == "stdin" && StandardStream.input.isTerminal
        }
    }

    /// Opens an input.
    ///
    /// - Returns: A source at the start of its bytes.
    /// - Throws: ``HostError`` when it cannot be opened.
    func openSource(of input: Input, _ meters: TransportMeters? = nil) throws(HostError) -> any TransportSource {
        switch input.source {
        case .demo(let seed):
            let plugin = instances[0].plugin
            return plugin.makeDemo(seed: seed)
        case .address(let address):
            do throws(TransportError) {
                let source = try address.transport.openSource(address.place)
                watch(source, of: input, meters)
                return source
            } catch {
                let reason = HostError(error, opening: .noInput)
                throw reason.exitCode == .noInput ? HostError(.noInput, reason.message + hint(for: address)) : reason
            }
        }
    }

    /// Adds the meter of an input's source to those of the run.
    func watch(_ source: any TransportSource, of input: Input, _ meters: TransportMeters?) {
        meters?.add(
            source.meter,
            name: inputs.count == 1 ? "input" : "input '\(input.name)'",
            input: inputs.count == 1 ? nil : input.name
        )
    }

    /// Suggests what may have been meant by the name of a missing file.
    private func hint(for address: Address) -> String {
        guard address.isFile, !address.path.contains(where: { $0 == "/" || $0 == "." }) else { return "" }
        return Suggestion.text(for: address.path, among: ["demo", "stdin"])
    }

    /// The inputs that are not made up.
    var inputAddresses: [Address] {
        inputs.compactMap { input in
            if case .address(let address) = input.source { address } else { nil }
        }
    }

    /// All that is written, and the options that say so.
    var namedOutputs: [(option: OptionDeclaration, address: Address)] {
        outputs.map { (OptionDeclaration.to, $0) }
            + [(OptionDeclaration.rejected, rejected), (.late, late), (.report, report)].compactMap { option, address in
                address.map { (option, $0) }
            }
    }

    /// Checks that the outputs are not an input, nor each other: opening them would empty it.
    func checkThatNothingIsOverwritten() throws(HostError) {
        try Overwriting.check(inputs: inputAddresses, outputs: outputs, rejected: rejected, late: late, report: report)
        for (option, output) in namedOutputs {
            guard let file = Overwriting.identity(output, standard: .output),
                let other = files.first(where: { Overwriting.identity(ofPath: $0.path) == file })
            else { continue }
            throw .usage(
                "--\(option.name): '\(output.name)' is the file of \(other.option), which would be overwritten; "
                    + "write to another file"
            )
        }
    }

    /// Checks that the files that are written can be, without changing them.
    func checkThatFilesCanBeWritten() throws(HostError) {
        for (option, output) in namedOutputs where output.isFile || output.isRecording {
            do throws(TransportError) {
                if option.name == OptionDeclaration.report.name, output.isFile, !FileSystem.isStream(output.path) {
                    try FileSystem.checkReplaceable(output.path)
                } else {
                    try FileSystem.checkWritable(output.path)
                }
            } catch {
                throw HostError(.cannotCreate, "\(error)")
            }
        }
    }

    /// The options that name a field.
    private func fieldsNamed(_ name: String) -> [NamedField] {
        NamedField.all(of: instances, in: RecordSchema(fields: [RecordSchema.Field(name)]))
    }

    /// An error in an input as a whole, with what to do about it.
    func explain(_ error: FormatError, in input: Input) -> String {
        let place =
            switch input.source {
            case .demo: "the demo"
            case .address(let address): address.transport.scheme == "stdin" ? "standard input" : "'\(address.name)'"
            }
        var text = "\(place) cannot be read as \(input.format.name): \(error)"
        switch error {
        case .missingFields(let names, let available):
            if let remark = Self.separatorRemark(available) { return text + "; " + remark }
            for name in names.prefix(1) {
                guard let field = fieldsNamed(name).first else { continue }
                text += "; say which to read with \(field.naming)"
                if let nearest = Suggestion.nearest(to: name, among: available) { text += ", such as '\(nearest)'" }
            }
            if available.count == 1 { text += "; 'weir guess' finds out how the input is written" }
        case .badHeader:
            text += "; --format says how it is written, and 'weir guess' finds out"
        case .compressed: text += "; pipe it through that first"
        case .duplicateField: break
        }
        return text
    }
}
