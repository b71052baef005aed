internal import WeirFormats
internal import WeirRecords

extension JSONNode {
    /// The value on one line.
    var compactText: String {
        var json = JSONWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// A member as JSON, also an object or a list as a whole; `nil` where there is none of that name.
    ///
    /// - Parameter name: That of a member of a member has dots.
    /// - Returns: The text.
    func text(ofMember name: Substring) -> String? {
        guard case .object(let members) = value else { return nil }
        for member in members {
            if member.name == name { return member.value.compactText }
            guard name.hasPrefix(member.name + ".") else { continue }
            if let text = member.value.text(ofMember: name.dropFirst(member.name.count + 1)) { return text }
        }
        return nil
    }
}
