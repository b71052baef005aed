// Inputs that hold several recordings, one after the other or mixed.
extension Guess {
    /// The field that tells recordings apart: times go back, but not among the records of each of its values.
    ///
    /// Of several it is the one with the fewest values; `nil` where there is none, or times rise anyway.
    var groupField: String? {
        guard let time = timeField, time.isNumber, let column = sample.names.firstIndex(of: time.name) else {
            return nil
        }
        let times = sample.rows.map { $0[column].flatMap { Double($0) } }
        let known = times.compactMap(\.self)
        guard known != known.sorted() else { return nil }
        let counts = sample.names.indices.filter { $0 != column && outerNames.contains(sample.names[$0]) }
            .compactMap { field in groupCount(field, times).map { (name: sample.names[field], count: $0) } }
        return counts.min { $0.count < $1.count }?.name
    }

    /// How many values a field has; `nil` where times go back in one, or rise too seldom to belong together.
    private func groupCount(_ field: Int, _ times: [Double?]) -> Int? {
        var last: [String?: Double] = [:]
        var riseCount = 0
        for (row, time) in zip(sample.rows, times) {
            guard let time else { continue }
            if let before = last.updateValue(time, forKey: row[field]) {
                if time < before { return nil }
                riseCount += time > before ? 1 : 0
            }
        }
        return 2 * riseCount > sample.rows.count ? last.count : nil
    }
}
