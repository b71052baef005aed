extension OptionDeclaration {
    /// The options that say how an input writes its times, and how matches write theirs: `--time-unit`, `--time-zone`,
    /// `--time-format` and `--time-form`.
    ///
    ///     let options = OptionDeclaration.times + [
    ///         OptionDeclaration("limit", .number(), default: "30", help: "what is hot")
    ///     ]
    ///
    /// ``OptionValues/times(countingIn:)`` is their value.
    public static var times: [OptionDeclaration] { [timeUnitOrAuto, timeZone, timeFormat, timeForm] }

    /// The options that say how an input writes its times.
    package static var inputTimes: [OptionDeclaration] { [timeUnitOrAuto, timeZone, timeFormat] }

    /// `--time-unit`, also with `auto`.
    package static let timeUnitOrAuto = OptionDeclaration(
        "time-unit",
        .choice(TimeUnit.allCases.map(\.rawValue) + ["auto"]),
        default: TimeUnit.milliseconds.rawValue,
        help: "what a bare number counts"
    )

    /// `--time-zone`.
    package static let timeZone = OptionDeclaration(
        "time-zone",
        .text(placeholder: "ZONE"),
        help: "the zone of times that name none"
    )

    /// `--time-format`.
    package static let timeFormat = OptionDeclaration(
        "time-format",
        .text(placeholder: "FORMAT"),
        help: "how times are written, such as '%d.%m.%Y'"
    )

    /// `--time-form`.
    package static let timeForm = OptionDeclaration(
        "time-form",
        .choice(InputTimes.Output.allCases.map(\.rawValue)),
        default: InputTimes.Output.input.rawValue,
        help: "how to write times"
    )
}

extension OptionValues {
    /// The value of ``OptionDeclaration/times``, which must have been declared.
    ///
    /// All that come of the same values know together in which form the input's first time was.
    ///
    /// - Parameter output: Where times are counted that the zone's clocks show twice or not at all.
    /// - Returns: How the input writes its times.
    /// - Throws: ``PluginError`` when there is no such zone, the format cannot be read, or the two do not fit together.
    public func times(countingIn output: MatchOutput) throws(PluginError) -> InputTimes {
        let times = try inputTimes()
        if times.zone != nil {
            output.showCount(of: InputTimes.repeatedWords) { times.repeatedCount }
            output.showCount(of: InputTimes.skippedWords) { times.skippedCount }
        }
        return times
    }

    /// The value of the options that say how an input writes its times, as far as they were declared.
    package func inputTimes() throws(PluginError) -> InputTimes {
        func isDeclared(_ option: OptionDeclaration) -> Bool { declared.contains(option.name) }
        let unit = isDeclared(.timeUnitOrAuto) ? TimeUnit(rawValue: text("time-unit")) : .milliseconds
        var zone: ZoneRules?
        if isDeclared(.timeZone), let name = textIfGiven("time-zone") {
            do throws(ZoneFolder.NotFound) {
                zone = try ZoneFolder.rules(of: name)
            } catch {
                throw .invalidOption(name: "time-zone", reason: error.reason)
            }
        }
        var format: TimeFormat?
        if isDeclared(.timeFormat), let text = textIfGiven("time-format") {
            do throws(TimeFormat.Flaw) {
                format = try TimeFormat(text)
            } catch {
                throw .invalidOption(name: "time-format", reason: error.reason)
            }
        }
        if let format, zone == nil, !format.hasZone {
            throw .invalidOption(
                name: "time-format",
                reason: "'\(format.text)' has no time zone; say it with --time-zone, such as --time-zone UTC"
            )
        }
        let form = isDeclared(.timeForm) ? InputTimes.Output(rawValue: text("time-form")) : nil
        return InputTimes(unit: unit, zone: zone, format: format, output: form ?? .input, seen: seenTimes)
    }
}
