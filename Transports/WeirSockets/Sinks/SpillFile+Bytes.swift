internal import CWeirSockets

/// How the header and the records stand in the file.
extension SpillFile {
    static func writeHeader(_ file: Int32, head: Int64) -> SystemError? {
        var header = magic
        append(Int(head & 0xffff_ffff), to: &header)
        append(Int(head >> 32), to: &header)
        return unsafe SystemError(cweir_net_write_at(file, header, header.count, 0))
    }

    static func readHeader(_ file: Int32) throws(SystemError) -> Int64? {
        guard let header = try bytes(file, at: 0, count: Int(headerLength)), Array(header[..<8]) == magic else {
            return nil
        }
        return Int64(number(header, 8)) | Int64(number(header, 12)) << 32
    }

    static func read(
        _ file: Int32,
        at place: Int64,
        length: Int64
    ) throws(SystemError) -> (batch: OutgoingBatch, length: Int64)? {
        guard place + Int64(recordHeader) <= length,
            let header = try bytes(file, at: place, count: recordHeader)
        else { return nil }
        let count = number(header, 0)
        guard place + Int64(recordHeader + count) <= length, count >= 4,
            let payload = try bytes(file, at: place + Int64(recordHeader), count: count),
            Int(checksum(payload[...])) == number(header, 4)
        else { return nil }
        let endCount = number(payload, 0)
        guard 4 + 4 * endCount <= count else { return nil }
        let ends = (0..<endCount).map { number(payload, 4 + 4 * $0) }
        let batch = OutgoingBatch(
            bytes: Array(payload[(4 + 4 * endCount)...]),
            ends: ends,
            messages: UInt64(number(header, 8))
        )
        guard isSound(batch) else { return nil }
        return (batch, Int64(recordHeader + count))
    }

    /// Whether what says where messages end can be right.
    private static func isSound(_ batch: OutgoingBatch) -> Bool {
        guard let last = batch.ends.last else {
            let isOpen = batch.bytes.last.map { $0 != UInt8(ascii: "\n") } ?? false
            let newlines = unsafe batch.bytes.withUnsafeBufferPointer { bytes in
                unsafe bytes.baseAddress.map { unsafe cweir_net_count_newlines($0, bytes.count) } ?? 0
            }
            let lines = UInt64(newlines) + (isOpen ? 1 : 0)
            return lines > 0 && lines == batch.messages
        }
        return last == batch.bytes.count && UInt64(batch.ends.count) == batch.messages
            && zip(batch.ends, batch.ends.dropFirst()).allSatisfy { $0 <= $1 }
    }

    /// Reads bytes; `nil` where the file ends before.
    private static func bytes(_ file: Int32, at place: Int64, count: Int) throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe bytes.baseAddress.map {
                    unsafe cweir_net_read_at(file, $0 + filled, count - filled, place + Int64(filled))
                } ?? 0
            }
            if let error = SystemError(read) { throw error }
            guard read > 0 else { return nil }
            filled += read
        }
        return bytes
    }

    static func append(_ number: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe cweir_net_crc32($0, bytes.count) } ?? 0
        }
    }
}
