internal import WeirCore
internal import WeirFiles

extension RunRequest {
    /// Whether a person types the input.
    var readsTerminal: Bool {
        guard case .address(let address) = input else { return false }
        return address.transport.scheme == "stdin" && StandardStream.input.isTerminal
    }

    /// Opens the input.
    func openSource() throws(HostError) -> any TransportSource {
        switch input {
        case .demo(let seed): return plugin.makeDemo(seed: seed)
        case .address(let address):
            do throws(TransportError) {
                return try address.transport.openSource(address.place)
            } catch .interrupted(let place) {
                throw HostError(.interrupted, "\(TransportError.interrupted(address: place))")
            } catch {
                throw HostError(.noInput, "\(error)" + hint(for: address))
            }
        }
    }

    /// What somebody may have meant who named a file that there is not.
    private func hint(for address: Address) -> String {
        guard address.isFile, !address.path.contains(where: { $0 == "/" || $0 == "." }) else { return "" }
        return Suggestion.text(for: address.path, among: ["demo", "stdin"])
    }

    /// Checks that the outputs are not the input, nor each other: opening them would empty it.
    func checkThatNothingIsOverwritten() throws(HostError) {
        var source: Address?
        if case .address(let address) = input { source = address }
        try Overwriting.check(input: source, output: output, rejected: rejected, report: report)
    }

    /// An error in the input as a whole, with what to do about it.
    func explain(_ error: FormatError) -> String {
        let place =
            switch input {
            case .demo: "the demo"
            case .address(let address): address.transport.scheme == "stdin" ? "standard input" : "'\(address.name)'"
            }
        var text = "\(place) cannot be read as \(format.name): \(error)"
        switch error {
        case .missingFields(let names, _):
            let option = plugin.options.first { if case .mapping = $0.kind { true } else { false } }
            guard let option else { break }
            let key = values.mapping(option.name).first { $0.value == names.first }?.key
            text += "; say which to read with --\(option.name) \(key ?? "KEY")=NAME"
        case .badHeader:
            text += "; is it \(otherFormats.joined(separator: " or "))? --format says so"
        case .duplicateField: break
        }
        return text
    }
}
