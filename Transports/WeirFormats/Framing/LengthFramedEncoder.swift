internal import WeirCore
internal import WeirRecords

/// Writes each record as a frame that starts with its length; see ``Framing/length``.
struct LengthFramedEncoder: RecordEncoder {
    private var encoder: any RecordEncoder

    init(_ encoder: any RecordEncoder) {
        self.encoder = encoder
    }

    mutating func encode(recordAt index: Int, of batch: inout RecordBatch, into output: inout [UInt8]) {
        let start = Self.begin(&output)
        encoder.encode(recordAt: index, of: &batch, into: &output)
        Self.end(&output, from: start)
    }

    mutating func finish(into output: inout [UInt8]) {
        let start = Self.begin(&output)
        encoder.finish(into: &output)
        Self.end(&output, from: start)
    }

    private static func begin(_ output: inout [UInt8]) -> Int {
        output.append(contentsOf: repeatElement(0, count: Framing.lengthByteCount))
        return output.count
    }

    private static func end(_ output: inout [UInt8], from start: Int) {
        guard output.count > start else {
            output.removeLast(Framing.lengthByteCount)
            return
        }
        let length = UInt32(output.count - start)
        for place in 1...Framing.lengthByteCount {
            output[start - place] = UInt8(truncatingIfNeeded: length >> UInt32(8 * (place - 1)))
        }
    }
}
