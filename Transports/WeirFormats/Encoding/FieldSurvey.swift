internal import WeirCore
public import WeirRecords

/// Which fields an input has, found out by reading it.
///
/// Formats with a header are read to its end. Of the others, everything is read, or as much as is allowed where what is
/// read cannot be read again.
///
/// Memory: the buffer of a line, and what is kept.
public struct FieldSurvey {
    /// The names, in the order of their first appearance.
    public let names: [String]

    /// Whether no record can have others.
    package let isComplete: Bool

    /// What was read, where it was to be kept.
    public private(set) var bytes: [UInt8] = []

    /// Reads an input.
    ///
    /// - Parameters:
    ///   - source: At the start of the input.
    ///   - format: How it is written.
    ///   - limits: What it may take.
    ///   - keptCount: How many bytes to read, about, and to keep; `nil` to read everything and keep nothing.
    /// - Throws: `TransportError` when the source breaks off, `FormatError` when the input as a whole cannot be read.
    public init(
        _ source: any TransportSource,
        format: any Format,
        limits: FormatLimits,
        keeping keptCount: Int? = nil
    ) throws {
        guard var finder = format.makeFieldFinder(limits: limits) else {
            (names, isComplete) = ([], false)
            return
        }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var start = 0
        var end = 0
        var hasMore = true
        while hasMore, !finder.isComplete, bytes.count < keptCount ?? .max {
            if start > 0 {
                buffer.removeSubrange(..<start)
                buffer.append(contentsOf: repeatElement(0, count: start))
                end -= start
                start = 0
            } else if end == buffer.count {
                buffer.append(contentsOf: repeatElement(0, count: buffer.count))
            }
            let count = try unsafe buffer.withUnsafeMutableBytes { all throws(TransportError) in
                unsafe try source.read(into: UnsafeMutableRawBufferPointer(rebasing: all[end...]))
            }
            if keptCount != nil { bytes += buffer[end..<end + count] }
            end += count
            hasMore = count > 0
            start += try unsafe buffer.withUnsafeBytes { all throws(FormatError) in
                // An input without a byte is empty; there is nothing to report.
                guard end > 0 || hasMore else { return 0 }
                return unsafe try finder.find(
                    in: UnsafeRawBufferPointer(rebasing: all[start..<end]),
                    isFinal: !hasMore
                )
            }
        }
        (names, isComplete) = (finder.names, finder.isComplete)
    }
}
