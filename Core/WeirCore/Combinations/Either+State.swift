// The marks of the streams, in checkpoints.

extension Either: StateComposite {
    package static var stateParts: [Any.Type] { [First.self, Second.self] }

    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .first(let element): try writer.write(case: 0, element)
        case .second(let element): try writer.write(case: 1, element)
        }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .first(try reader.read(First.self))
        case 1: self = .second(try reader.read(Second.self))
        default: throw reader.damage("there is no such stream")
        }
    }
}

extension EitherOfThree: StateComposite {
    package static var stateParts: [Any.Type] { [First.self, Second.self, Third.self] }

    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .first(let element): try writer.write(case: 0, element)
        case .second(let element): try writer.write(case: 1, element)
        case .third(let element): try writer.write(case: 2, element)
        }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .first(try reader.read(First.self))
        case 1: self = .second(try reader.read(Second.self))
        case 2: self = .third(try reader.read(Third.self))
        default: throw reader.damage("there is no such stream")
        }
    }
}

extension EitherOfFour: StateComposite {
    package static var stateParts: [Any.Type] { [First.self, Second.self, Third.self, Fourth.self] }

    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .first(let element): try writer.write(case: 0, element)
        case .second(let element): try writer.write(case: 1, element)
        case .third(let element): try writer.write(case: 2, element)
        case .fourth(let element): try writer.write(case: 3, element)
        }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .first(try reader.read(First.self))
        case 1: self = .second(try reader.read(Second.self))
        case 2: self = .third(try reader.read(Third.self))
        case 3: self = .fourth(try reader.read(Fourth.self))
        default: throw reader.damage("there is no such stream")
        }
    }
}

extension EitherOfFive: StateComposite {
    package static var stateParts: [Any.Type] { [First.self, Second.self, Third.self, Fourth.self, Fifth.self] }

    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .first(let element): try writer.write(case: 0, element)
        case .second(let element): try writer.write(case: 1, element)
        case .third(let element): try writer.write(case: 2, element)
        case .fourth(let element): try writer.write(case: 3, element)
        case .fifth(let element): try writer.write(case: 4, element)
        }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .first(try reader.read(First.self))
        case 1: self = .second(try reader.read(Second.self))
        case 2: self = .third(try reader.read(Third.self))
        case 3: self = .fourth(try reader.read(Fourth.self))
        case 4: self = .fifth(try reader.read(Fifth.self))
        default: throw reader.damage("there is no such stream")
        }
    }
}

extension EitherOfSix: StateComposite {
    package static var stateParts: [Any.Type] {
        [First.self, Second.self, Third.self, Fourth.self, Fifth.self, Sixth.self]
    }

    public func save(to writer: inout StateWriter) throws(StateError) {
        switch self {
        case .first(let element): try writer.write(case: 0, element)
        case .second(let element): try writer.write(case: 1, element)
        case .third(let element): try writer.write(case: 2, element)
        case .fourth(let element): try writer.write(case: 3, element)
        case .fifth(let element): try writer.write(case: 4, element)
        case .sixth(let element): try writer.write(case: 5, element)
        }
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        switch try reader.number(UInt8.self) {
        case 0: self = .first(try reader.read(First.self))
        case 1: self = .second(try reader.read(Second.self))
        case 2: self = .third(try reader.read(Third.self))
        case 3: self = .fourth(try reader.read(Fourth.self))
        case 4: self = .fifth(try reader.read(Fifth.self))
        case 5: self = .sixth(try reader.read(Sixth.self))
        default: throw reader.damage("there is no such stream")
        }
    }
}

extension StateWriter {
    fileprivate mutating func write<Element>(case number: UInt8, _ element: Element) throws(StateError) {
        append(number)
        try write(element)
    }
}
