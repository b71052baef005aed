/// What of a checkpoint fitted a pipeline, and what did not.
public struct RestoreReport: Equatable, Sendable {
    /// A section of a checkpoint.
    public struct Section: Equatable, Sendable {
        /// Its name: the scope, the kind of the operator, and its number among its kind.
        public let name: String
        /// How many elements of collections were in it: of queues, tables, groups and partial matches.
        public let items: Int
    }

    /// How many sections fitted.
    public internal(set) var restoredCount = 0

    /// What the pipeline no longer has.
    public internal(set) var dropped: [Section] = []

    /// What the pipeline has, with other types, fields or versions.
    public internal(set) var changed: [Section] = []

    /// The names of the sections that the pipeline has and the checkpoint has not; they start anew.
    public internal(set) var added: [String] = []

    /// Whether nothing of the checkpoint was lost.
    public var isComplete: Bool { dropped.isEmpty && changed.isEmpty }

    private var fitting: Set<String> = []

    init() {}

    /// Compares what is stored with what the pipeline has.
    init(_ stored: [StateSection], _ wanted: [StateSection]) {
        let known = Dictionary(wanted.map { ($0.name, $0) }) { first, _ in first }
        let names = Set(stored.map(\.name))
        for section in stored {
            if let own = known[section.name] {
                if own.version == section.version, own.fingerprint == section.fingerprint {
                    fitting.insert(section.name)
                    restoredCount += 1
                } else {
                    changed.append(Section(name: section.name, items: section.items))
                }
            } else {
                dropped.append(Section(name: section.name, items: section.items))
            }
        }
        added = wanted.map(\.name).filter { !names.contains($0) }
    }

    func fits(_ name: String) -> Bool { fitting.contains(name) }

    mutating func refuse(_ section: StateSection?) {
        guard let section, fitting.remove(section.name) != nil else { return }
        restoredCount -= 1
        changed.append(Section(name: section.name, items: section.items))
    }
}

extension RestoreReport: CustomStringConvertible {
    public var description: String {
        func list(_ sections: [Section]) -> String {
            sections.map { "\($0.name) with \($0.items) elements" }.joined(separator: ", ")
        }
        var parts = ["restored \(restoredCount)"]
        if !changed.isEmpty { parts.append("changed: \(list(changed))") }
        if !dropped.isEmpty { parts.append("no longer there: \(list(dropped))") }
        if !added.isEmpty { parts.append("new: \(added.joined(separator: ", "))") }
        return parts.joined(separator: "; ")
    }
}
