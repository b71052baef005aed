public import WeirCore

// Stages of time: they capture nothing.
extension StagedPattern {
    /// Adds a stage that is over when some time has passed since the event before it.
    ///
    ///     let rested = Pattern<Purchase>
    ///         .first { $0.amount > 500 }
    ///         .after(.seconds(3600))
    ///         .followedBy { $0.amount < 10 }
    ///
    ///     let reminder = Pattern<Purchase>
    ///         .first { $0.amount > 500 }
    ///         .after(.seconds(86_400))
    ///
    /// At the end of a pattern the match is complete then, with that time. In the middle the events in between are passed
    /// over; the next stage begins with `followedBy` or `followedByAny`. It is a `notFollowedBy(within:)` that forbids
    /// nothing.
    ///
    /// - Parameter duration: How long after the event before it; positive. The next event may come at exactly that time.
    /// - Returns: The pattern with the stage.
    @inlinable
    public func after(_ duration: Duration) -> StagedPattern<Forbidding<List.Open>> {
        notFollowedBy(within: duration) { _ in false }
    }

    /// Adds a stage that is over at the next time of a schedule.
    ///
    ///     let closing = try CronSchedule("0 17 * * *")
    ///     let today = Pattern<Purchase>
    ///         .first { $0.amount > 500 }
    ///         .at { closing.next(after: $0) }
    ///
    /// At the end of a pattern the match is complete then, with that time. In the middle the events in between are passed
    /// over; the next stage begins with `followedBy` or `followedByAny`.
    ///
    /// - Parameter next: Takes the time of the event before the stage, and returns the later time at which the stage is over,
    ///   always the same one; `nil`, or one that is not later, for never.
    /// - Returns: The pattern with the stage.
    @inlinable
    public func at(_ next: @escaping @Sendable (Timestamp) -> Timestamp?) -> StagedPattern<Forbidding<List.Open>> {
        let link = notFollowedBy
        var draft = link.draft
        let capture = draft.append(nil, .notFollowedBy, .unary { _ in false }, schedule: next)
        return StagedPattern<Forbidding<List.Open>>(
            draft,
            link.slots.adding(capture..<capture + 1, [draft.captures[capture]], behind: link.count)
        )
    }

    /// Forbids that an event came in the time before the first event of a match.
    ///
    ///     let rise = Pattern<Reading>
    ///         .first { $0.celsius > 30 }
    ///         .notPreceded(within: .seconds(60)) { $0.celsius > 30 }
    ///
    /// Of the time before the first event of the stream, or of a group, nothing is known, and nothing is forbidden. At the
    /// same time, only an event that arrived before counts. Remembers one time for each group.
    ///
    /// - Parameters:
    ///   - duration: How long before the first event; positive, exclusive.
    ///   - condition: Takes an event; whether it is one that must not have come.
    /// - Returns: The same with that condition, in place of an earlier one.
    @inlinable
    public func notPreceded(
        within duration: Duration,
        by condition: @escaping @Sendable (List.Event) -> Bool
    ) -> StagedPattern {
        changed { draft in
            let id = draft.add(.unary(condition))
            draft.quiet = PlanQuiet(condition: id, duration: duration.wholeNanoseconds)
        }
    }

    /// Begins a match only once, with the first event that can; of each group.
    ///
    ///     let sinceLogin = Pattern<Purchase>
    ///         .first { $0.isFaceToFace }
    ///         .followedByAny { $0.amount > 100 }
    ///         .once()
    ///
    /// What follows may still match several times, as here each later purchase does. A group is remembered until the end:
    /// `limits` says how many there may be. An event whose partial match finds no room, or is given up for others,
    /// counts as the one of its group. For one match in all, `take(1)` of the matches ends the stream.
    ///
    /// - Returns: The same, in place of an earlier ``notPreceded(within:by:)``.
    @inlinable
    public func once() -> StagedPattern {
        changed { $0.quiet = PlanQuiet(condition: nil, duration: .max) }
    }
}
