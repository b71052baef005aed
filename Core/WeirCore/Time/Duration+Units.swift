/// What the standard library leaves out, for windows and limits of that length.
extension Duration {
    /// A duration of minutes, as in `.within(.minutes(10))`.
    ///
    /// - Parameter minutes: From -1.5e17 to 1.5e17, or the call traps.
    /// - Returns: The duration.
    @inlinable
    public static func minutes(_ minutes: Int) -> Duration { .seconds(minutes * 60) }

    /// A duration of hours, of 60 minutes each.
    ///
    /// - Parameter hours: From -2.5e15 to 2.5e15, or the call traps.
    /// - Returns: The duration.
    @inlinable
    public static func hours(_ hours: Int) -> Duration { .seconds(hours * 3_600) }

    /// A duration of days, of 24 hours each, whatever a calendar says.
    ///
    /// - Parameter days: From -1e14 to 1e14, or the call traps.
    /// - Returns: The duration.
    @inlinable
    public static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}
