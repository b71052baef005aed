/// Access to the parts of JSON that a program wrote: what is of another kind than expected is not there.
extension JSONNode {
    package var isObject: Bool { if case .object = value { true } else { false } }

    /// The first member with a name.
    package subscript(name: String) -> JSONNode? { members.first { $0.name == name }?.value }

    package var members: [Member] { if case .object(let members) = value { members } else { [] } }
    package var elements: [JSONNode] { if case .array(let elements) = value { elements } else { [] } }
    package var text: String? { if case .text(let text) = value { text } else { nil } }
    package var flag: Bool? { if case .boolean(let flag) = value { flag } else { nil } }

    /// A whole number of 64 bits.
    package var integer: Int? { if case .number(let text) = value { Int(text) } else { nil } }
    package var unsigned: UInt64? { if case .number(let text) = value { UInt64(text) } else { nil } }
}
