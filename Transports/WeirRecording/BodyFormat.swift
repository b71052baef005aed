/// The layout of a body: one value, which is a tag and what the tag says.
///
/// Arrays and keyed values have their length in bytes (u32) before their content, so that they can be skipped. A keyed
/// value is a row of (key id, value); the id 0 is followed by the key itself.
enum BodyFormat {
    static let null: UInt8 = 0x00
    static let no: UInt8 = 0x01
    static let yes: UInt8 = 0x02
    static let signed: UInt8 = 0x03  // variable, zigzag
    static let unsigned: UInt8 = 0x04  // variable
    static let double: UInt8 = 0x05
    static let float: UInt8 = 0x06
    static let text: UInt8 = 0x07
    static let data: UInt8 = 0x08
    static let uuid: UInt8 = 0x09
    static let date: UInt8 = 0x0A  // double: seconds since 2001-01-01
    static let signed128: UInt8 = 0x0B
    static let unsigned128: UInt8 = 0x0C
    static let array: UInt8 = 0x0D
    static let keyed: UInt8 = 0x0E

    /// This and all higher tags are the numbers 0...127 themselves.
    static let small: UInt8 = 0x80

    /// How deep values may be nested, for the sake of the stack.
    static let deepest = 64
}
