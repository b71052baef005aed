internal import WeirCore
internal import WeirRecords

/// An option as a command line, a configuration and the environment accept it.
struct AcceptedOption {
    let name: String
    let takesValue: Bool
    let isRepeatable: Bool

    /// The page of the help that explains it, where that is another than of the rest of the command line.
    let topic: String?

    /// An option of the program: a flag is given or not, and takes no value.
    init(_ option: OptionDeclaration, topic: String? = nil) {
        self.topic = topic
        name = option.name
        takesValue = option.kind != .flag
        isRepeatable = option.isRepeatable
    }

    /// An option of a plugin, whose flags say `true` or `false`.
    init(ofPlugin option: OptionDeclaration, as name: String) {
        self.name = name
        takesValue = true
        topic = nil
        isRepeatable = option.isRepeatable
    }
}

/// Options as they were given: their texts by name, several values a line each, and the empty text for flags.
extension [String: String] {
    subscript(_ option: OptionDeclaration) -> String? {
        get { self[option.name] }
        set { self[option.name] = newValue }
    }

    /// The values of an option that may be given several times.
    func values(_ option: OptionDeclaration) -> [String] {
        self[option]?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    /// The value of an `.integer` or `.byteCount` option, or its default.
    ///
    /// - Throws: ``HostError`` for a text that the declaration refuses.
    func integer(_ option: OptionDeclaration) throws(HostError) -> Int? {
        try read(option).integerIfGiven(option.name)
    }

    /// The value of a `.duration` option, or its default.
    ///
    /// - Throws: ``HostError`` for a text that is no duration.
    func duration(_ option: OptionDeclaration) throws(HostError) -> Duration? {
        try read(option).durationIfGiven(option.name)
    }

    /// The value of a `.choice` option, or its default.
    ///
    /// - Throws: ``HostError`` for another word.
    func choice(_ option: OptionDeclaration) throws(HostError) -> String? {
        try read(option).textIfGiven(option.name)
    }

    private func read(_ option: OptionDeclaration) throws(HostError) -> OptionValues {
        do throws(PluginError) {
            return try OptionValues([option], given: self[option].map { [option.name: $0] } ?? [:])
        } catch {
            guard case .invalidOption(let name, let reason) = error else { throw .usage("\(error)") }
            throw .usage("--\(name): \(reason)")
        }
    }
}

extension [String: String] {
    /// How the input writes its times, as the options of that say it.
    ///
    /// - Throws: ``HostError`` where they cannot be understood.
    func inputTimes() throws(HostError) -> InputTimes {
        let options = OptionDeclaration.inputTimes
        do throws(PluginError) {
            return try OptionValues(options, given: filter { given in options.contains { $0.name == given.key } })
                .inputTimes()
        } catch {
            throw .usage("\(error)")
        }
    }
}
