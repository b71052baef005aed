package import WeirCore

extension TimeForm {
    /// A time as people read it in texts.
    ///
    /// - Parameter time: The time.
    /// - Returns: The text, such as `2026-11-21T12:00:00.5Z` or `1700000000`.
    package func text(of time: Timestamp) -> String {
        switch self {
        case .rfc3339: return "\(time)"
        case .number(let unit):
            return TimeText.decimal(nanoseconds: time.nanosecondsSinceEpoch, scale: unit.nanoseconds)
        case .input(let times):
            return switch times.written(time) {
            case .rfc3339: "\(time)"
            case .number(let unit): TimeForm.number(unit).text(of: time)
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            }
        }
    }
}
