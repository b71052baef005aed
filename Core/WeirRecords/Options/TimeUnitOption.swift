extension OptionDeclaration {
    /// `--time-unit`, for plugins whose input may have times that are bare numbers.
    ///
    ///     let options = [.timeUnit, OptionDeclaration("limit", .number(), default: "30", help: "what is hot")]
    ///
    /// ``OptionValues/timeUnit`` is its value.
    public static var timeUnit: OptionDeclaration {
        OptionDeclaration(
            "time-unit",
            .choice(TimeUnit.allCases.map(\.rawValue)),
            default: TimeUnit.milliseconds.rawValue,
            help: "what a time counts that is a bare number; RFC 3339 is always understood"
        )
    }
}

extension OptionValues {
    /// The value of ``OptionDeclaration/timeUnit``, which must have been declared.
    public var timeUnit: TimeUnit {
        guard let unit = TimeUnit(rawValue: text("time-unit")) else {
            preconditionFailure("the choices of --time-unit are the units themselves")
        }
        return unit
    }
}
