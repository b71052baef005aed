internal import CWeir
internal import WeirCore

/// Records that are kept one by one, each as long as it has a holder: a copy of their bytes, and of the places of their
/// fields where these are wanted.
///
/// A reader hands out batches that are valid only for a moment. What keeps few of their records, for a time that differs
/// from record to record, keeps them here: pieces of memory that are used again.
///
/// Memory: 9 bytes for a record beside its own; where fields are kept 14, and 12 for each of them. Rounded up to 16 in all,
/// and behind 512 bytes to a quarter of the power of two before.
///
/// Thread safety: none; for one thread at a time.
@safe
package final class RecordStore {
    /// How a record is kept: its own bytes alone, or the fields of a schema.
    private static let isRaw: UInt8 = .max

    /// What the fields of kept records belong to; a record keeps the index in its first byte.
    private struct Shape {
        let fieldCount: Int
        // Lends a kept record.
        let batch: SharedCell<RecordBatch>
    }

    // Safety: created in `init`, freed in `deinit`, and used by this store only.
    private let pieces: OpaquePointer
    private let shapes = SharedCell(driven: [Shape]())

    /// Creates a store without records.
    package init() {
        guard let pieces = unsafe cweir_pieces_create() else { fatalError("there is no memory for kept records") }
        unsafe self.pieces = pieces
    }

    deinit {
        unsafe cweir_pieces_destroy(pieces)
    }

    /// How many records there are.
    package var count: Int { unsafe cweir_pieces_count(pieces) }

    /// How many bytes they take.
    package var byteCount: Int { unsafe cweir_pieces_memory(pieces) }

    /// Makes a schema known.
    ///
    /// - Parameter schema: The schema of the batches whose fields are kept.
    /// - Returns: Its number, from 0; `nil` where there are 255 others already.
    package func addSchema(_ schema: RecordSchema) -> UInt8? {
        shapes.withValue { shapes in
            guard shapes.count < Int(Self.isRaw) else { return nil }
            let batch = SharedCell(driven: RecordBatch(schema: schema, capacity: 1))
            shapes.append(Shape(fieldCount: schema.fields.count, batch: batch))
            return UInt8(shapes.count - 1)
        }
    }

    /// Keeps the bytes of a record.
    ///
    /// - Parameters:
    ///   - index: The index of the record.
    ///   - batch: The batch.
    /// - Returns: The number of the copy, which has one holder.
    /// - Complexity: O(*n*) in the bytes. Allocates for many records at once.
    package func keepBytes(ofRecordAt index: Int, in batch: borrowing RecordBatch) -> UInt32 {
        precondition(index >= 0 && index < batch.count, "there are \(batch.count) records, so none at \(index)")
        let row = unsafe batch.rows[index]
        let piece = unsafe take(Int(row.length) + 1)
        unsafe piece.bytes[0] = Self.isRaw
        unsafe (piece.bytes + 1).update(from: batch.base + Int(row.start), count: Int(row.length))
        return unsafe piece.number
    }

    /// Keeps the fields of a record.
    ///
    /// - Parameters:
    ///   - index: The index of the record.
    ///   - batch: The batch.
    ///   - schema: The number of its schema, as ``addSchema(_:)`` has given it.
    ///   - tag: What the holder wants to know of it.
    ///   - keepsBytes: Whether the bytes of the record are kept too.
    /// - Returns: The number of the copy, which has one holder.
    /// - Complexity: O(*n*) in the bytes of the fields. Allocates for many records at once.
    package func keepFields(
        ofRecordAt index: Int,
        in batch: borrowing RecordBatch,
        schema: UInt8,
        tag: UInt8,
        keepsBytes: Bool
    ) -> UInt32 {
        precondition(index >= 0 && index < batch.count, "there are \(batch.count) records, so none at \(index)")
        let fieldCount = batch.fieldCount
        precondition(shapes.value[Int(schema)].fieldCount == fieldCount, "the batch has another schema")
        let slots = unsafe batch.slots + index * fieldCount
        let row = unsafe batch.rows[index]
        let rowLength = keepsBytes ? row.length : 0
        let rowEnd = row.start &+ rowLength
        var length = Int(rowLength)
        for field in 0..<fieldCount {
            let slot = unsafe slots[field]
            if slot.start < row.start || slot.start &+ slot.length > rowEnd { length += Int(slot.length) }
        }
        let head = KeptHead(schema: schema, tag: tag, rowLength: rowLength)
        let piece = unsafe take(head.byteCount(fieldCount) + length)
        var place = unsafe head.write(to: piece.bytes)
        // The places count from here.
        let content = unsafe piece.bytes + head.byteCount(fieldCount)
        if rowLength > 0 { unsafe content.update(from: batch.base + Int(row.start), count: Int(rowLength)) }
        var end = rowLength
        for field in 0..<fieldCount {
            var slot = unsafe slots[field]
            if slot.start < row.start || slot.start &+ slot.length > rowEnd {
                let bytes = unsafe batch.base + Int(slot.start)
                unsafe (content + Int(end)).copy(from: bytes, Int(slot.length))
                slot.start = end
                end += slot.length
            } else {
                slot.start -= row.start
            }
            unsafe place.storeBytes(of: slot, as: RecordBatch.Slot.self)
            unsafe place += MemoryLayout<RecordBatch.Slot>.stride
        }
        return unsafe piece.number
    }

    /// Adds a holder to a record.
    package func retain(_ record: UInt32) { unsafe cweir_pieces_retain(pieces, record) }

    /// Removes a holder of a record, which goes with the last one.
    package func release(_ record: UInt32) { unsafe cweir_pieces_release(pieces, record) }

    /// Lends a kept record.
    ///
    /// - Parameters:
    ///   - record: Its number.
    ///   - body: Called with a batch of it alone, the number of its schema and its tag; not where only its bytes are kept.
    package func withFields(
        of record: UInt32,
        _ body: (_ batch: borrowing RecordBatch, _ schema: UInt8, _ tag: UInt8) -> Void
    ) {
        var length = 0
        let bytes = unsafe cweir_pieces_bytes(pieces, record, &length)
        guard unsafe bytes[0] != Self.isRaw else { return }
        let head = unsafe KeptHead(bytes)
        shapes.value[Int(head.schema)].batch
            .withValue { batch in
                unsafe batch.lend(keptAt: bytes, length, head)
                body(batch, head.schema, head.tag)
            }
    }

    /// Appends the bytes of a kept record in one line, where only these are kept.
    ///
    /// - Parameters:
    ///   - record: Its number.
    ///   - line: The bytes are appended to it, with a blank in the place of each end of a line.
    /// - Returns: Whether only these are kept.
    package func appendLine(of record: UInt32, to line: inout [UInt8]) -> Bool {
        var length = 0
        let bytes = unsafe cweir_pieces_bytes(pieces, record, &length)
        guard unsafe bytes[0] == Self.isRaw else { return false }
        unsafe UnsafeBufferPointer(start: bytes + 1, count: length - 1).appendLine(to: &line)
        return true
    }

    /// Keeps some bytes, as those of a record.
    package func keep(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let piece = unsafe take(bytes.count + 1)
        unsafe piece.bytes[0] = Self.isRaw
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            unsafe (piece.bytes + 1).update(from: first, count: bytes.count)
        }
        return unsafe piece.number
    }

    @inline(__always)
    private func take(_ length: Int) -> (number: UInt32, bytes: UnsafeMutablePointer<UInt8>) {
        var bytes: UnsafeMutablePointer<UInt8>?
        let number = unsafe cweir_pieces_take(pieces, UInt32(length), &bytes)
        guard let bytes = unsafe bytes, number != CWEIR_PIECE_NONE else {
            fatalError("there is no memory to keep a record of \(length) bytes")
        }
        return unsafe (number, bytes)
    }
}

/// What stands before the places of the fields of a kept record, and these before its bytes.
private struct KeptHead {
    let schema: UInt8
    let tag: UInt8
    let rowLength: UInt32

    private static var size: Int { 6 }

    init(schema: UInt8, tag: UInt8, rowLength: UInt32) {
        self.schema = schema
        self.tag = tag
        self.rowLength = rowLength
    }

    init(_ bytes: UnsafePointer<UInt8>) {
        schema = unsafe bytes[0]
        tag = unsafe bytes[1]
        rowLength = unsafe UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: 2, as: UInt32.self)
    }

    /// How many bytes stand before those of the record.
    func byteCount(_ fieldCount: Int) -> Int { Self.size + fieldCount * MemoryLayout<RecordBatch.Slot>.stride }

    /// Writes the head.
    ///
    /// - Returns: Where the places follow.
    func write(to bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutableRawPointer {
        unsafe bytes[0] = schema
        unsafe bytes[1] = tag
        let place = UnsafeMutableRawPointer(bytes)
        unsafe place.storeBytes(of: rowLength, toByteOffset: 2, as: UInt32.self)
        return unsafe place + Self.size
    }

    static func places(_ bytes: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> { unsafe bytes + size }
}

extension RecordBatch {
    /// Appends the raw bytes of a record in one line, with a blank in the place of each end of a line.
    package func appendLine(ofRecordAt index: Int, to line: inout [UInt8]) {
        precondition(index >= 0 && index < count, "there are \(count) records, so none at \(index)")
        let row = unsafe rows[index]
        unsafe UnsafeBufferPointer(start: base + Int(row.start), count: Int(row.length)).appendLine(to: &line)
    }

    /// Becomes a kept record.
    fileprivate mutating func lend(keptAt bytes: UnsafePointer<UInt8>, _ length: Int, _ head: KeptHead) {
        let start = head.byteCount(fieldCount)
        unsafe frame.pointee.base = bytes + start
        unsafe frame.pointee.byteCount = length - start
        unsafe UnsafeMutableRawPointer(slots)
            .copyMemory(from: KeptHead.places(bytes), byteCount: fieldCount * MemoryLayout<Slot>.stride)
        unsafe rows[0] = Row(line: 0, start: 0, length: head.rowLength)
        recordCount = 1
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Copies some bytes: those of a value at once.
    @inline(__always)
    fileprivate func copy(from other: UnsafePointer<UInt8>, _ count: Int) {
        switch count {
        case 0: return
        case 1: unsafe pointee = other.pointee
        case 2: unsafe copyMemory(from: other, 2)
        case 4: unsafe copyMemory(from: other, 4)
        case 8: unsafe copyMemory(from: other, 8)
        default: unsafe update(from: other, count: count)
        }
    }

    @inline(__always)
    private func copyMemory(from other: UnsafePointer<UInt8>, _ count: Int) {
        unsafe UnsafeMutableRawPointer(self).copyMemory(from: other, byteCount: count)
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func appendLine(to line: inout [UInt8]) {
        let start = line.count
        unsafe line.append(contentsOf: self)
        guard unsafe hasLineEnd else { return }
        for index in start..<line.count where line[index] == UInt8(ascii: "\n") || line[index] == UInt8(ascii: "\r") {
            line[index] = UInt8(ascii: " ")
        }
    }

    /// Whether there is a line feed or a carriage return.
    private var hasLineEnd: Bool {
        guard let first = baseAddress else { return false }
        let bytes = unsafe UnsafeRawPointer(first)
        var found: UInt64 = 0
        var index = 0
        // Eight bytes at a time, without a way out of the loop.
        while index + 8 <= count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            found |= (word ^ 0x0A0A_0A0A_0A0A_0A0A).zeroBytes | (word ^ 0x0D0D_0D0D_0D0D_0D0D).zeroBytes
            index += 8
        }
        while index < count {
            let byte = unsafe self[index]
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return true }
            index += 1
        }
        return found != 0
    }
}

extension UInt64 {
    /// Not zero where one of the bytes is zero.
    fileprivate var zeroBytes: UInt64 { (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080 }
}
