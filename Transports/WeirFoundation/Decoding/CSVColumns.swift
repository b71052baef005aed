internal import WeirRecords

/// The columns of a CSV file.
struct CSVColumns {
    /// The names, from left to right.
    let names: [String]

    /// What a time that is written as a bare number counts.
    let timeUnit: TimeUnit

    private let indices: [String: Int]

    init(names: [String], timeUnit: TimeUnit) {
        self.names = names
        self.timeUnit = timeUnit
        indices = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// The index of the column of that name.
    func index(of name: String) -> Int? {
        indices[name]
    }
}
