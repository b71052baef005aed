/// The formats that ``DecodableReader`` reads.
public enum DecodableFormat: String, Sendable, CaseIterable {
    /// Comma-separated values; the header's names are the coding keys.
    case csv
    /// JSON Lines, one object per line.
    case jsonLines = "jsonl"
}
