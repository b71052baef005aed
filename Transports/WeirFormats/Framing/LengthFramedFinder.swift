internal import WeirRecords

/// Finds out which fields an input in frames has; see ``Framing/length``.
struct LengthFramedFinder: FieldFinder {
    private var finder: any FieldFinder
    private let limit: Int
    private var rest = 0
    private var isOverlong = false

    init(_ finder: any FieldFinder, limits: FormatLimits) {
        self.finder = finder
        limit = limits.lineLength
    }

    var names: [String] { finder.names }

    var isComplete: Bool { finder.isComplete }

    mutating func find(in bytes: UnsafeRawBufferPointer, isFinal: Bool) throws(FormatError) -> Int {
        var start = 0
        while start < bytes.count {
            if rest == 0 {
                guard bytes.count - start >= Framing.lengthByteCount else { return isFinal ? bytes.count : start }
                let length = unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                start += Framing.lengthByteCount
                rest = Int(length)
                isOverlong = rest > limit
                continue
            }
            if isOverlong {
                let count = min(rest, bytes.count - start)
                start += count
                rest -= count
                continue
            }
            guard bytes.count - start >= rest else { return isFinal ? bytes.count : start }
            _ = unsafe try finder.find(in: UnsafeRawBufferPointer(rebasing: bytes[start..<start + rest]), isFinal: true)
            start += rest
            rest = 0
        }
        return start
    }
}
