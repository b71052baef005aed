/// The codecs that a checkpoint uses, each made at the first value of its type in the process.
final class StateCodecs {
    // Looking at the layout of a type costs more than to write its values.
    private static let shared = Locked<[ObjectIdentifier: SharedCodec]>([:])

    private var codecs: [ObjectIdentifier: StateCodec] = [:]
    // What is being made, from the outermost type on.
    private var path: [String] = []
    private var forwards: [ObjectIdentifier: ForwardCodec] = [:]
    // What was made for the outermost type: parts may refer to wholes that are not there yet.
    private var fresh: [ObjectIdentifier: StateCodec] = [:]

    /// The codec of a type.
    func codec<Value>(for type: Value.Type) throws(StateError) -> StateCodec {
        let id = ObjectIdentifier(type)
        if let known = codecs[id] ?? fresh[id] { return known }
        if let known = Self.shared.withLock({ $0[id] }) {
            codecs[id] = known.codec
            return known.codec
        }
        return try make(type)
    }

    /// The codec of a part of a type, known by what it is called there.
    func codec(for type: Any.Type, as part: String) throws(StateError) -> StateCodec {
        path.append(part)
        let codec = try open(type)
        path.removeLast()
        return codec
    }

    private func open(_ type: Any.Type) throws(StateError) -> StateCodec {
        var result: Result<StateCodec, StateError>?
        func make<Value>(_ type: Value.Type) {
            do throws(StateError) { result = .success(try codec(for: type)) } catch { result = .failure(error) }
        }
        _openExistential(type, do: make)
        guard let result = result else { preconditionFailure("a type was not opened") }
        return try result.get()
    }

    private func make<Value>(_ type: Value.Type) throws(StateError) -> StateCodec {
        let id = ObjectIdentifier(type)
        let name = TypeLayout.name(type)
        if path.isEmpty { path = [name] }
        if let pending = forwards[id] { return pending }
        let forward = ForwardCodec(name)
        forwards[id] = forward
        defer { forwards[id] = nil }
        let isOutermost = path.count == 1
        defer {
            if isOutermost { (path, fresh) = ([], [:]) }
        }
        let codec = try self.codec(type, name)
        forward.codec = codec
        fresh[id] = codec
        if isOutermost {
            codecs.merge(fresh) { $1 }
            let finished = fresh.mapValues { SharedCodec(codec: $0) }
            Self.shared.withLock { $0.merge(finished) { $1 } }
        }
        return codec
    }

    private func codec<Value>(_ type: Value.Type, _ name: String) throws(StateError) -> StateCodec {
        if let type = type as? any StateCodable.Type {
            var parts = ""
            for part in (type as? any StateComposite.Type)?.stateParts ?? [] {
                parts += try self.codec(for: part, as: "<>").layout
            }
            return Self.custom(type, parts)
        }
        if let type = type as? any StateContainer.Type { return try type.codec(self) }
        if _isPOD(type), let codec = try trivial(type) { return codec }
        guard let kind = TypeLayout.kind(type), kind == .structure || kind == .tuple else {
            throw unsaveable(
                name,
                "an object, closure, protocol type or enumeration with such a payload has to be StateCodable"
            )
        }
        let fields = TypeLayout.fields(type)
        guard !fields.isEmpty || MemoryLayout<Value>.size == 0 else {
            throw unsaveable(name, "it was built without reflection: make it StateCodable")
        }
        var codecs: [(offset: Int, codec: StateCodec)] = []
        var layout = "\(name){"
        for field in fields {
            let codec = try self.codec(for: field.type, as: ".\(field.name)")
            codecs.append((field.offset, codec))
            layout += "\(field.name):\(codec.layout),"
        }
        return FieldsCodec(layout: layout + "}", fields: codecs)
    }

    /// The codec of a trivial type; `nil` where it has to be that of its fields.
    private func trivial<Value>(_ type: Value.Type) throws(StateError) -> StateCodec? {
        try TrivialLayout.check(type, path.joined())
        let layout = TrivialLayout(type)
        if layout.hidesPayloads {
            guard TypeLayout.kind(type) == .enumeration else { return nil }
            return EnumerationCodec<Value>(layout: layout.text)
        }
        return BytesCodec(
            layout: layout.text,
            size: MemoryLayout<Value>.size,
            stride: MemoryLayout<Value>.stride,
            gaps: layout.gaps
        )
    }

    private func unsaveable(_ name: String, _ reason: String) -> StateError {
        .unsaveableType(name, path: path.joined(), reason: reason)
    }

    private static func custom<Value: StateCodable>(_ type: Value.Type, _ parts: String) -> StateCodec {
        CustomCodec<Value>(parts: parts)
    }
}

/// A codec that any thread may use.
private struct SharedCodec: @unchecked Sendable {
    // Safety of `@unchecked Sendable`: a codec does not change once it is made, but for what EnumerationCodec learns, which
    // is behind a lock, and what ForwardCodec stands for, which it knows before the outermost codec is finished.
    let codec: StateCodec
}

/// What a trivial type consists of.
struct TrivialLayout {
    /// The name and the layout of the type and its fields.
    let text: String

    /// The bytes that belong to no field.
    let gaps: [Range<Int>]

    /// Whether it has a payload of which it is not known in which values it is there.
    let hidesPayloads: Bool

    init(_ type: Any.Type) {
        var isUsed = [Bool](repeating: false, count: TypeLayout.size(type))
        var hides = false
        text = Self.describe(type, at: 0, &isUsed, &hides)
        hidesPayloads = hides
        var gaps: [Range<Int>] = []
        for index in isUsed.indices where !isUsed[index] {
            if let last = gaps.last, last.upperBound == index {
                gaps[gaps.count - 1] = last.lowerBound..<index + 1
            } else {
                gaps.append(index..<index + 1)
            }
        }
        self.gaps = gaps
    }

    private static func describe(_ type: Any.Type, at offset: Int, _ isUsed: inout [Bool], _ hides: inout Bool)
        -> String
    {
        let size = TypeLayout.size(type)
        switch TypeLayout.kind(type) {
        case .structure, .tuple:
            var text = "\(TypeLayout.name(type)){"
            for field in TypeLayout.fields(type) {
                let part = describe(field.type, at: offset + field.offset, &isUsed, &hides)
                text += "\(field.name)@\(field.offset):\(part),"
            }
            return text + "}"
        case .optional, .enumeration:
            // A payload can refer to memory where it is as large as a pointer.
            if size >= MemoryLayout<Int>.size || TypeLayout.kind(type) == .optional { hides = true }
        default: break
        }
        let name = TypeLayout.name(type)
        // The number of 80 bits has 16 bytes.
        let used = name == "Builtin.FPIEEE80" ? 10 : size
        for index in offset..<offset + used { isUsed[index] = true }
        return "\(name)#\(size)"
    }

    /// Finds what does not consist of its value: pointers and the like.
    static func check(_ type: Any.Type, _ path: String) throws(StateError) {
        let name = TypeLayout.name(type)
        switch TypeLayout.kind(type) {
        case .structure, .tuple:
            let fields = TypeLayout.fields(type)
            guard !fields.isEmpty || TypeLayout.size(type) == 0 else {
                throw .unsaveableType(name, path: path, reason: "it was built without reflection: make it StateCodable")
            }
            for field in fields { try check(field.type, "\(path).\(field.name)") }
        case .optional, .enumeration: break
        case .opaque
        where name.hasPrefix("Builtin.Int") || name.hasPrefix("Builtin.FPIEEE") || name.hasPrefix("Builtin.Vec"):
            break
        default:
            throw .unsaveableType(name, path: path, reason: "it refers to memory of this process")
        }
    }
}
