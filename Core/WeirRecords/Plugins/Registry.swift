/// Everything that can be asked for by name: plugins, formats, transports and query languages.
///
/// A value: the host makes one, registers what it has, and looks names up. There is no global registry, so two hosts
/// in one process do not meet.
///
///     import WeirShake
///
///     var registry = Registry()
///     try registry.register(ShakePlugin())
///     registry.plugin(named: "shake")
public struct Registry: Sendable {
    /// The plugins, in the order of their registration.
    public private(set) var plugins: [any Plugin] = []

    /// The formats, in the order of their registration.
    public private(set) var formats: [any Format] = []

    /// The transports, in the order of their registration.
    public private(set) var transports: [any Transport] = []

    /// The query languages, in the order of their registration.
    public private(set) var languages: [any QueryLanguage] = []

    /// Creates an empty registry.
    public init() {}

    /// Adds a plugin.
    ///
    /// - Throws: ``RegistryError/nameTaken(kind:name:by:refused:)`` when there is one of that name.
    public mutating func register(_ plugin: some Plugin) throws(RegistryError) {
        try check("plugin", plugin.name, against: self.plugin(named: plugin.name), adding: plugin)
        plugins.append(plugin)
    }

    /// Adds a format.
    ///
    /// - Throws: ``RegistryError/nameTaken(kind:name:by:refused:)`` when there is one of that name.
    public mutating func register(_ format: some Format) throws(RegistryError) {
        try check("format", format.name, against: self.format(named: format.name), adding: format)
        formats.append(format)
    }

    /// Adds a transport.
    ///
    /// - Throws: ``RegistryError/nameTaken(kind:name:by:refused:)`` when there is one of that scheme.
    public mutating func register(_ transport: some Transport) throws(RegistryError) {
        try check("transport", transport.scheme, against: self.transport(for: transport.scheme), adding: transport)
        transports.append(transport)
    }

    /// Adds a query language.
    ///
    /// - Throws: ``RegistryError/nameTaken(kind:name:by:refused:)`` when there is one of that name.
    public mutating func register(_ language: some QueryLanguage) throws(RegistryError) {
        try check("language", language.name, against: self.language(named: language.name), adding: language)
        languages.append(language)
    }

    /// The plugin of a name, if there is one.
    public func plugin(named name: String) -> (any Plugin)? {
        plugins.first { $0.name == name }
    }

    /// The format of a name, if there is one.
    public func format(named name: String) -> (any Format)? {
        formats.first { $0.name == name }
    }

    /// The transport of a scheme, if there is one.
    public func transport(for scheme: String) -> (any Transport)? {
        transports.first { $0.scheme == scheme }
    }

    /// The query language of a name, if there is one.
    public func language(named name: String) -> (any QueryLanguage)? {
        languages.first { $0.name == name }
    }

    private func check(_ kind: String, _ name: String, against existing: Any?, adding added: Any) throws(RegistryError)
    {
        guard let existing else { return }
        throw .nameTaken(
            kind: kind,
            name: name,
            by: String(reflecting: type(of: existing)),
            refused: String(reflecting: type(of: added))
        )
    }
}

/// Why something cannot be registered.
public enum RegistryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A name is taken: by the entry that has it, and so another was refused.
    case nameTaken(kind: String, name: String, by: String, refused: String)

    public var description: String {
        switch self {
        case .nameTaken(let kind, let name, let by, let refused):
            "the \(kind) name '\(name)' is taken by \(by), so \(refused) was refused; rename one of them"
        }
    }
}
