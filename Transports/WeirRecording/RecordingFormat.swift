internal import WeirCore
internal import WeirRecords

/// The layout of a recording, version 1.
///
/// All numbers are little-endian.
///
/// ```text
/// file     header frame*
/// header   magic (8 bytes), version u32, flags u32 (0), creation i64 (ns since the epoch), 0 u32, checksum u32
/// frame    length u32, checksum u32 of the payload, checksum u32 of the 8 bytes before, payload (length bytes)
/// payload  1 type id, name                           a type; ids count from 0
///          2 count, (length, name)*                  keys; ids count from 1
///          3 type id, priority u8, event time i64, dispatch time i64, body
/// ```
///
/// Ids, counts and lengths inside a payload are variable-length numbers; a checksum is a CRC-32C. The length of a frame
/// has a checksum of its own, so that a damaged length is told from a frame whose end was never written.
package enum RecordingFormat {
    // A byte that is no text, "WREC", and ends of line and of file; other than the binary format's, whose files are often
    // called the same.
    package static let magic: [UInt8] = [0x89, 0x57, 0x52, 0x45, 0x43, 0x0D, 0x0A, 0x1A]
    package static let version: UInt32 = 1
    package static let headerLength = 32
    package static let frameHeaderLength = 12

    package static let typeFrame: UInt8 = 1
    package static let keysFrame: UInt8 = 2
    package static let eventFrame: UInt8 = 3

    package static let largestPayload = 16 << 20
    package static let mostTypes = 1 << 16

    /// How many keys get ids; further ones, such as those of dictionaries, stand in the bodies.
    package static let mostKeys = 4096
    package static let longestKey = 256

    package static func header(creation: Int64) -> [UInt8] {
        var header = magic
        header.appendFixed(version)
        header.appendFixed(UInt32(0))
        header.appendFixed(creation)
        header.appendFixed(UInt32(0))
        header.appendFixed(Checksum.of(header, 0..<header.count))
        return header
    }

    /// Appends a frame whose payload `write` appends.
    package static func appendFrame(to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: frameHeaderLength))
        write(&bytes)
        let payload = (start + frameHeaderLength)..<bytes.count
        bytes.replaceFixed(UInt32(payload.count), at: start)
        bytes.replaceFixed(Checksum.of(bytes, payload), at: start + 4)
        bytes.replaceFixed(Checksum.of(bytes, start..<start + 8), at: start + 8)
    }
}
