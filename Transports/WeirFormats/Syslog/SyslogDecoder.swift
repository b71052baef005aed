internal import WeirCore
internal import WeirRecords

/// Finds the messages of syslog; see ``SyslogFormat`` for the rules.
///
/// Some values do not stand in the bytes as they are: those of `<PRI>`, times without a year, and values with escapes. So the
/// bytes are copied to memory that has room for these values behind them, and the batch reads that.
///
/// - Complexity: O(*n*) for *n* bytes, and O(*w*) for each value of structured data and *w* wanted ones. No allocation in
///   steady state, rejections aside.
struct SyslogDecoder: RecordDecoder {
    private var decoder: any RecordDecoder
    private let memory = SyslogMemory()

    /// Creates a decoder at the start of an input.
    init(for schema: RecordSchema, limits: FormatLimits, clock: any TimeSource, isFramed: Bool) {
        let frame = isFramed ? FrameNumber() : nil
        let messages = SyslogMessageDecoder(for: schema, limits: limits, clock: clock, frame: frame, memory: memory)
        decoder = isFramed ? LengthFramedDecoder(messages, limits: limits, number: frame) : messages
    }

    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        isFinal: Bool,
        into batch: inout RecordBatch
    ) throws(FormatError) -> Int {
        // Values without their escapes are no longer than with them; all others are short. A batch is full with as many
        // records, or as many rejections, as its capacity.
        unsafe memory.begin(with: bytes, spare: bytes.count + 2 * batch.capacity * SyslogMemory.shortValues)
        unsafe batch.begin(in: UnsafeRawBufferPointer(memory.bytes))
        return unsafe try decoder.decode(
            UnsafeRawBufferPointer(rebasing: memory.bytes[..<bytes.count]),
            isFinal: isFinal,
            into: &batch
        )
    }
}

/// Bytes of an input, and values that were made of them.
///
/// Safety: the memory is replaced by `begin` alone, before the batch refers to it, and freed in `deinit`. One thread at a time
/// uses a decoder, and the batch is used before its next call.
@safe
final class SyslogMemory {
    /// How many bytes the short values of a message take: a facility, a severity and a time.
    static let shortValues = 10

    private(set) var bytes: UnsafeMutableRawBufferPointer
    private var end = 0

    init() {
        unsafe bytes = .allocate(byteCount: 1, alignment: 1)
    }

    deinit {
        unsafe bytes.deallocate()
    }

    /// Takes a copy of bytes, and makes room behind them.
    func begin(with other: UnsafeRawBufferPointer, spare: Int) {
        let count = other.count + spare
        if unsafe bytes.count < count {
            unsafe bytes.deallocate()
            unsafe bytes = .allocate(byteCount: count, alignment: 1)
        }
        unsafe bytes.copyMemory(from: other)
        end = other.count
    }

    /// Adds a byte, for which there must be room.
    ///
    /// - Returns: Its place.
    func append(_ byte: UInt8) -> Int {
        unsafe precondition(end < bytes.count, "the values take more than what was set aside")
        unsafe bytes[end] = byte
        end += 1
        return end - 1
    }

    /// Adds a number of eight bytes, the lowest first.
    ///
    /// - Returns: Its place.
    func append(_ number: Int64) -> Int {
        let place = end
        for shift in 0..<8 { _ = append(UInt8(truncatingIfNeeded: number >> Int64(8 * shift))) }
        return place
    }

    /// The place of the next byte.
    var place: Int { end }
}
