internal import WeirCore
internal import WeirRecords

/// The numbers of the layout; see ``BinaryFormat``.
enum BinaryLayout {
    static let magic: [8 of UInt8] = [0x89, 0x57, 0x45, 0x49, 0x52, 0x0D, 0x0A, 0x1A]
    static let version: UInt16 = 1
    static let headerLength = 16
    static let checksumLength = 4

    // "WBLK" and "WEND", as numbers.
    static let blockMark: UInt32 = 0x4B4C_4257
    static let blockHeaderLength = 20
    static let endMark: UInt32 = 0x444E_4557
    static let endLength = 16

    static let columnHeaderLength = 8
    static let maximumRecordCount = 65_536
    static let maximumFieldCount = Int(UInt16.max)

    static let hasStates: UInt8 = 1
    static let hasScales: UInt8 = 2

    /// What a value of a column is that holds values of several kinds.
    enum Kind {
        static let text: UInt8 = 0
        static let bare: UInt8 = 1
        static let nested: UInt8 = 2
    }

    /// What stands in the place of a value.
    enum State {
        static let value: UInt8 = 0
        static let null: UInt8 = 1
        static let absent: UInt8 = 2
        static let emptyText: UInt8 = 3
    }

    /// The number at a place, which need not be aligned.
    static func number<Number: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Number
    where Number: BitwiseCopyable {
        unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Number.self))
    }

    /// The checksum of `count` bytes at a place.
    static func checksum(_ bytes: UnsafeRawBufferPointer, at place: Int, count: Int) -> UInt32 {
        unsafe Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]))
    }

    static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}

/// How a column of a block is stored; also the types in the header.
enum ColumnEncoding: UInt8 {
    case integer = 1
    case decimal, float, boolean, time, text, json, words

    /// The encoding of a declared type.
    init(_ type: FieldType) {
        switch type {
        case .integer: self = .integer
        case .decimal: self = .decimal
        case .float: self = .float
        case .boolean: self = .boolean
        case .time: self = .time
        case .text: self = .text
        case .json: self = .json
        }
    }
}
