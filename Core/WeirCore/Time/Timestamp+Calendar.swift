extension Timestamp {
    /// The timestamp of a date and a time of day in UTC, in the Gregorian calendar.
    ///
    /// - Parameters:
    ///   - year: From 1678 to 2261.
    ///   - month: From 1 to 12.
    ///   - day: From 1 to the length of the month.
    ///   - hour: From 0 to 23.
    ///   - minute: From 0 to 59.
    ///   - second: From 0 to 59.
    ///
    /// `nil` where one of them is out of its range.
    public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1678...2261).contains(year), (1...12).contains(month),
            day >= 1, day <= Int(CalendarText.dayCount(of: Int64(month), in: Int64(year))),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        let days = CalendarText.daysSinceEpoch(Int64(year), Int64(month), Int64(day))
        self.init(secondsSinceEpoch: days * 86_400 + Int64(hour * 3_600 + minute * 60 + second))
    }
}
