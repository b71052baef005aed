internal import WeirFormats
internal import WeirRecords

extension MatchForm {
    /// The form that other styles than plain lines of JSON are written from.
    static let styled = items { line, items in
        let node = try? JSONNode.read(line, allowsRepeatedNames: true)
        let text = String(decoding: line, as: UTF8.self)
        // The plugin of a library may call anything a match.
        guard let node, case .object = node.value else {
            return FieldItem.append(.unreadable, named: text, to: &items)
        }
        node.append(named: text, to: &items)
    }
}

extension JSONNode {
    /// Appends the value as an item.
    fileprivate func append(named name: String, to items: inout [UInt8]) {
        switch value {
        case .null: FieldItem.append(.null, named: name, to: &items)
        case .boolean(let flag): FieldItem.append(.flag, named: name, to: &items) { $0 += "\(flag)".utf8 }
        case .number(let text): FieldItem.append(.number, named: name, to: &items) { $0 += text.utf8 }
        case .text(let text): FieldItem.append(.text, named: name, to: &items) { $0 += text.utf8 }
        case .array(let elements):
            FieldItem.append(.array, named: name, to: &items) { items in
                for element in elements { element.append(named: "", to: &items) }
            }
        case .object(let members):
            FieldItem.append(.object, named: name, to: &items) { items in
                for member in members { member.value.append(named: member.name, to: &items) }
            }
        }
    }
}
