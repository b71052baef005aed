extension RestoreReport {
    /// Creates the report of something that says itself which parts fit, such as a plugin in a library.
    ///
    /// - Parameters:
    ///   - changed: What is there with other types, fields or versions.
    ///   - dropped: What is no longer there.
    package init(changed: [Section], dropped: [Section]) {
        self.init()
        self.changed = changed
        self.dropped = dropped
    }
}

extension RestoreReport.Section {
    /// Creates a section by its name and the number of its elements.
    package init(name: String, itemCount: Int) { self.init(name: name, items: itemCount) }
}
