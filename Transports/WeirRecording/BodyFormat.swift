/// The layout of a body: one value, which is a tag and what the tag says.
///
/// Arrays and keyed values have their length in bytes (u32) before their content, so that they can be skipped. A keyed
/// value is a row of (key id, value); the id 0 is followed by the key itself.
package enum BodyFormat {
    package static let null: UInt8 = 0x00
    package static let no: UInt8 = 0x01
    package static let yes: UInt8 = 0x02
    package static let signed: UInt8 = 0x03  // variable, zigzag
    package static let unsigned: UInt8 = 0x04  // variable
    package static let double: UInt8 = 0x05
    package static let float: UInt8 = 0x06
    package static let text: UInt8 = 0x07
    package static let data: UInt8 = 0x08
    package static let uuid: UInt8 = 0x09
    package static let date: UInt8 = 0x0A  // double: seconds since 2001-01-01
    package static let signed128: UInt8 = 0x0B
    package static let unsigned128: UInt8 = 0x0C
    package static let array: UInt8 = 0x0D
    package static let keyed: UInt8 = 0x0E

    /// This and all higher tags are the numbers 0...127 themselves.
    package static let small: UInt8 = 0x80

    /// How deep values may be nested; bounds recursion.
    package static let deepest = 64
}
