/// What the functions compute; missing where an argument is missing, or is of a kind that the function does not take.
extension QueryFunction {
    /// Computes the function of single values.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, none of them a list.
    ///   - ignoresCase: Whether upper and lower case are the same.
    /// - Returns: The value.
    func value(of arguments: [QueryValue], ignoringCase ignoresCase: Bool) -> QueryValue {
        guard let first = arguments.first else { return .missing }
        switch self {
        case .concat:
            var text = ""
            for argument in arguments {
                guard let part = argument.written else { return .missing }
                text += part
            }
            return .text(text)
        case .length: return first.text.map { .integer(Int64($0.unicodeScalars.count)) } ?? .missing
        case .string: return first.written.map(QueryValue.text) ?? .missing
        case .number: return Self.number(first, base: arguments.count > 1 ? arguments[1] : .missing)
        case .startsWith, .endsWith, .stringContains:
            guard arguments.count == 2, let source = first.text, let part = arguments[1].text else { return .missing }
            return .boolean(holds(Self.scalars(source, ignoresCase), Self.scalars(part, ignoresCase)))
        case .indexOf: return Self.index(arguments, ignoresCase)
        case .substring: return Self.substring(arguments)
        case .between: return Self.between(arguments, ignoresCase)
        case .cidrMatch: return Self.isInRange(arguments)
        }
    }

    private static func scalars(_ text: String, _ ignoresCase: Bool) -> [Unicode.Scalar] {
        ignoresCase ? text.unicodeScalars.map { Letters.lower($0) } : Array(text.unicodeScalars)
    }

    private func holds(_ source: [Unicode.Scalar], _ part: [Unicode.Scalar]) -> Bool {
        switch self {
        case .startsWith: source.starts(with: part)
        case .endsWith: source.count >= part.count && source.suffix(part.count).elementsEqual(part)
        default: Self.place(of: part, in: source, from: 0) != nil
        }
    }

    /// Where a text first occurs.
    private static func place(of part: [Unicode.Scalar], in source: [Unicode.Scalar], from start: Int) -> Int? {
        guard start <= source.count, part.count <= source.count - start else { return nil }
        guard let first = part.first else { return start }
        for place in start...(source.count - part.count) where source[place] == first {
            if source[place..<place + part.count].elementsEqual(part) { return place }
        }
        return nil
    }

    private static func index(_ arguments: [QueryValue], _ ignoresCase: Bool) -> QueryValue {
        guard arguments.count >= 2, let source = arguments[0].text, let part = arguments[1].text else {
            return .missing
        }
        var start = 0
        if arguments.count > 2 {
            guard let number = arguments[2].integer else { return .missing }
            start = Int(clamping: max(0, number))
        }
        let place = place(of: scalars(part, ignoresCase), in: scalars(source, ignoresCase), from: start)
        return place.map { .integer(Int64($0)) } ?? .missing
    }

    /// Negative places count from the end.
    private static func substring(_ arguments: [QueryValue]) -> QueryValue {
        guard arguments.count >= 2, let source = arguments[0].text, let start = arguments[1].integer else {
            return .missing
        }
        let scalars = source.unicodeScalars
        let count = scalars.count
        func place(_ number: Int64) -> Int {
            number < 0 ? max(0, count - Int(clamping: number.magnitude)) : min(count, Int(clamping: number))
        }
        var end = count
        if arguments.count > 2 {
            guard let number = arguments[2].integer else { return .missing }
            end = place(number)
        }
        let first = place(start)
        guard first < end else { return .text("") }
        let from = scalars.index(scalars.startIndex, offsetBy: first)
        return .text(String(scalars[from..<scalars.index(from, offsetBy: end - first)]))
    }

    /// The text between the first occurrence of one text and the next, or with a true fourth argument the last, of another.
    private static func between(_ arguments: [QueryValue], _ ignoresCase: Bool) -> QueryValue {
        guard arguments.count >= 3, let source = arguments[0].text, let left = arguments[1].text,
            let right = arguments[2].text
        else { return .missing }
        var isGreedy = false
        if arguments.count > 3 {
            guard case .boolean(let flag) = arguments[3] else { return .missing }
            isGreedy = flag
        }
        let original = Array(source.unicodeScalars)
        let searched = scalars(source, ignoresCase)
        let (leftPart, rightPart) = (scalars(left, ignoresCase), scalars(right, ignoresCase))
        guard let opening = place(of: leftPart, in: searched, from: 0) else { return .text("") }
        let start = opening + leftPart.count
        var end = place(of: rightPart, in: searched, from: start)
        if isGreedy, end != nil {
            let last = searched.count - rightPart.count
            end = (start...last).last { searched[$0..<$0 + rightPart.count].elementsEqual(rightPart) }
        }
        guard let end else { return .text("") }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: original[start..<end])
        return .text(String(text))
    }

    private static func number(_ value: QueryValue, base: QueryValue) -> QueryValue {
        switch value {
        case .integer, .real: return value
        case .text(let text):
            if let base = base.integer {
                guard (2...36).contains(base) else { return .missing }
                let digits = base == 16 ? withoutHexPrefix(text) ?? text[...] : text[...]
                return Int64(digits, radix: Int(base)).map(QueryValue.integer) ?? .missing
            }
            if let digits = withoutHexPrefix(text) {
                return Int64(digits, radix: 16).map(QueryValue.integer) ?? .missing
            }
            return QueryValue(number: text) ?? .missing
        default: return .missing
        }
    }

    private static func withoutHexPrefix(_ text: String) -> Substring? {
        text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : nil
    }

    private static func isInRange(_ arguments: [QueryValue]) -> QueryValue {
        guard let address = arguments[0].text else { return .missing }
        for argument in arguments.dropFirst() {
            guard let block = argument.text else { return .missing }
            if AddressBlock(block)?.contains(address) ?? false { return .boolean(true) }
        }
        return .boolean(false)
    }
}

/// Calculations with numbers: missing where one is no number, the divisor is zero, or a whole number does not fit.
enum Arithmetic {
    static func value(_ operation: QueryTerm.Operation, _ left: QueryValue, _ right: QueryValue) -> QueryValue {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return value(operation, left, right)
        case (.integer(let left), .real(let right)): return value(operation, Double(left), right)
        case (.real(let left), .integer(let right)): return value(operation, left, Double(right))
        case (.real(let left), .real(let right)): return value(operation, left, right)
        default: return .missing
        }
    }

    static func negative(_ value: QueryValue) -> QueryValue {
        switch value {
        case .integer(let number): self.value(.difference, 0, number)
        case .real(let number): .real(-number)
        default: .missing
        }
    }

    private static func value(_ operation: QueryTerm.Operation, _ left: Int64, _ right: Int64) -> QueryValue {
        if right == 0, operation == .quotient || operation == .remainder { return .missing }
        let (result, overflow): (Int64, Bool) =
            switch operation {
            case .sum: left.addingReportingOverflow(right)
            case .difference: left.subtractingReportingOverflow(right)
            case .product: left.multipliedReportingOverflow(by: right)
            case .quotient: left.dividedReportingOverflow(by: right)
            case .remainder: (right == -1 ? 0 : left % right, false)
            default: (0, true)
            }
        return overflow ? .missing : .integer(result)
    }

    private static func value(_ operation: QueryTerm.Operation, _ left: Double, _ right: Double) -> QueryValue {
        let result: Double =
            switch operation {
            case .sum: left + right
            case .difference: left - right
            case .product: left * right
            case .quotient: left / right
            case .remainder: left.truncatingRemainder(dividingBy: right)
            default: .nan
            }
        return result.isFinite ? .real(result) : .missing
    }
}
