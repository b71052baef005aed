/// What the runtime knows of the layout of a type.
enum TypeLayout {
    /// What kind of type it is, as the runtime's ABI numbers them.
    enum Kind: UInt {
        case structure = 0x200
        case enumeration = 0x201
        case optional = 0x202
        case opaque = 0x300
        case tuple = 0x301
    }

    struct Field {
        let name: String
        let type: Any.Type
        let offset: Int
    }

    /// The kind of a type, where its values consist of their bytes or of fields; `nil` for classes, functions, metatypes,
    /// existentials and others.
    static func kind(_ type: Any.Type) -> Kind? { Kind(rawValue: metadataKind(type)) }

    /// The fields of a struct or tuple, in order.
    static func fields(_ type: Any.Type) -> [Field] {
        (0..<fieldCount(type)).map { index in
            var description = unsafe FieldDescription()
            let field = unsafe fieldType(type, index, &description)
            let name = unsafe description.name.map { unsafe String(cString: $0) } ?? ""
            unsafe description.free?(description.name)
            return Field(name: name, type: field, offset: fieldOffset(type, index))
        }
    }

    /// The name of a type, without what differs from process to process.
    static func name(_ type: Any.Type) -> String {
        var name = _typeName(type, qualified: true)
        // Types that are private, or local to a function, are told apart by an address. Most are not, and to search is slow.
        guard name.utf8.contains(UInt8(ascii: "$")) else { return name }
        while let start = name.firstRange(of: "(unknown context at $"),
            let end = name[start.upperBound...].firstIndex(of: ")")
        {
            name.replaceSubrange(start.lowerBound...end, with: "(private)")
        }
        return name
    }

    /// The name of a type without its parameters.
    static func baseName(_ type: Any.Type) -> String { String(name(type).prefix { $0 != "<" }) }

    /// Where a value of an enumeration's case is told: the same address for the same case; `nil` without reflection.
    static func caseName<Value>(_ value: Value) -> UnsafePointer<CChar>? { unsafe enumCaseName(value) }

    static func size(_ type: Any.Type) -> Int {
        func of<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
        return _openExistential(type, do: of)
    }
}

// The entries of the runtime that Mirror is built on. The library's own functions around them are not public on all
// platforms.

@unsafe
private struct FieldDescription {
    var name: UnsafePointer<CChar>?
    var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
}

@_silgen_name("swift_getMetadataKind")
private func metadataKind(_ type: Any.Type) -> UInt

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(_ type: Any.Type, _ index: Int, _ field: UnsafeMutablePointer<FieldDescription>) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(_ type: Any.Type, _ index: Int) -> Int

@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
