// The states of copies of one chain, such as those of groups: one description for all, then the bare fields of each.
extension StateExchange {
    /// What a type is called in the names of sections: the same in all processes.
    package static func name(of type: any Any.Type) -> String { TypeLayout.name(type) }

    /// Exchanges the state of copies of a chain, in the section that is open.
    ///
    /// - Parameters:
    ///   - template: A copy, to be asked what it consists of.
    ///   - sinks: The copies; when restoring, as many as were saved.
    /// - Returns: Whether the states were exchanged: `false` when what was saved is of another chain, and is dropped.
    /// - Throws: ``StateError``.
    @usableFromInline
    mutating func exchangeRows<Template: Sink>(
        like template: inout Template,
        _ sinks: SinkList<Template>
    ) throws(StateError) -> Bool {
        let count = sinks.count
        if mode == .describing {
            fingerprint.mix("rows")
            return true
        }
        guard mode == .saving || isFitting else { return false }
        if mode == .saving, !isInRows { fingerprint.mix("rows") }
        let layout = count == 0 ? 0 : try describe(&template)
        if mode == .saving {
            writer.append(layout)
            writer.append(UInt64(count))
            writer.items += count
        } else {
            let stored = try reader.number(UInt64.self)
            guard try reader.number(UInt64.self) == UInt64(count) else {
                throw reader.damage("there are not \(count) groups")
            }
            guard stored == layout else {
                report.refuse(section)
                guard drops else { throw .mismatch(report) }
                isFitting = false
                return false
            }
        }
        let outer = isInRows
        isInRows = true
        defer { isInRows = outer }
        let first = place
        for index in 0..<count {
            place = first
            unsafe try sinks[index].pointee.exchangeState(&self)
        }
        return true
    }

    /// What a chain consists of.
    private mutating func describe<Template: Sink>(_ template: inout Template) throws(StateError) -> UInt64 {
        let (outerMode, outerRows, outerFingerprint, outerPlace) = (mode, isInRows, fingerprint, place)
        (mode, isInRows, fingerprint) = (.describing, true, Fingerprint())
        try template.exchangeState(&self)
        defer { (mode, isInRows, fingerprint, place) = (outerMode, outerRows, outerFingerprint, outerPlace) }
        return fingerprint.value
    }
}
