internal import WeirCore
internal import WeirFiles

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
    /// - Parameters:
    ///   - input: The input.
    ///   - meters: Takes the meter of a transport that has one.
    /// - Returns: A source at the start of its bytes.
    /// - Throws: ``HostError`` when it cannot be opened.
    func openSource(of input: Input, _ meters: MeterBoard? = nil) throws(HostError) -> any TransportSource {
        switch input.source {
        case .demo(let seed): return instances[0].plugin.makeDemo(seed: seed)
        case .address(let address):
            do throws(TransportError) {
                let source = try address.transport.openSource(address.place)
                meters?.add(source.meter, name: inputs.count == 1 ? "input" : "input '\(input.name)'")
                return source
            } catch {
                let reason = HostError(error, opening: .noInput)
                throw reason.exitCode == .noInput ? HostError(.noInput, reason.message + hint(for: address)) : reason
            }
        }
    }

    /// What somebody may have meant who named a file that there is not.
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
    var namedOutputs: [(option: HostOption, address: Address)] {
        outputs.map { (.to, $0) }
            + [(.rejected, rejected), (.report, report)].compactMap { option, address in
                address.map { (option, $0) }
            }
    }

    /// Checks that the outputs are not an input, nor each other: opening them would empty it.
    func checkThatNothingIsOverwritten() throws(HostError) {
        try Overwriting.check(inputs: inputAddresses, outputs: outputs, rejected: rejected, report: report)
    }

    /// Checks that the files that are written can be, without changing them.
    func checkThatFilesCanBeWritten() throws(HostError) {
        for (_, output) in namedOutputs where output.isFile || output.isRecording {
            do throws(TransportError) {
                try FileSystem.checkWritable(output.path)
            } catch {
                throw HostError(.cannotCreate, "\(error)")
            }
        }
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
        case .missingFields(let names, _):
            for instance in instances {
                // A field that an option names alone, such as the one that tells groups apart.
                let naming = instance.plugin.options.first { option in
                    guard case .text = option.kind, let field = names.first else { return false }
                    return instance.values.textIfGiven(option.name) == field
                }
                if let naming { return text + "; say which to read with --\(naming.name) NAME" }
                for option in instance.plugin.options {
                    guard case .mapping = option.kind else { continue }
                    let mapping = instance.values.mapping(option.name)
                    let key = mapping.first { $0.value == names.first }?.key
                    guard key != nil || instances.count == 1 else { continue }
                    return text + "; say which to read with --\(option.name) \(key ?? "KEY")=NAME"
                }
            }
        case .badHeader:
            text += "; is it \(input.otherFormats.joined(separator: " or "))? --format says so"
        case .duplicateField: break
        }
        return text
    }
}
