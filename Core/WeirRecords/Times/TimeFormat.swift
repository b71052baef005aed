internal import WeirCore

/// How times are written, as `strptime` and `strftime` have it: `%d.%m.%Y %H:%M:%S`.
///
/// The fields are `%Y` (four digits), `%y` (69 to 99 are of the 20th century), `%m`, `%b` or `%B` (names, either length
/// is read), `%d`, `%e`, `%j`, `%a` or `%A` (not compared with the date), `%H`, `%I` with `%p`, `%M`, `%S`, `%f` or `%N`
/// (digits of the fraction, as many as there are; `%3f` for exactly three), `%.f` (a point and the fraction, where there
/// is one), `%s` (seconds since the epoch), `%z` (`+0200`; `+02:00`, `+02` and `Z` are read too), `%:z` (`+02:00`), `%Z`
/// (`UTC`, or a name that the time zone has for its time), `%F`, `%T`, `%R`, `%D`, `%n`, `%t` and `%%`. A minus, as in
/// `%-d`, writes a number without leading zeros. Numbers are read with and without them. A space stands for one or more.
package struct TimeFormat: Sendable, Hashable {
    /// What is wrong with a format.
    package struct Flaw: Error, Hashable {
        package let reason: String
    }

    enum Padding: Hashable {
        case zeros, blank, none
    }

    enum Field: Hashable {
        case year, shortYear, month, monthName(isFull: Bool), day, dayOfYear, weekday(isFull: Bool)
        case hour, halfHour, half, minute, second
        /// Digits: how many; zero for as many as there are.
        case fraction(Int)
        case pointAndFraction
        case epoch
        case offset(hasColon: Bool)
        case zoneName

        /// What a format may have once.
        var part: String {
            switch self {
            case .year, .shortYear: "year"
            case .month, .monthName: "month"
            case .day: "day"
            case .dayOfYear: "day of the year"
            case .weekday: "day of the week"
            case .hour, .halfHour: "hour"
            case .half: "half of the day"
            case .minute: "minute"
            case .second: "second"
            case .fraction, .pointAndFraction: "fraction of a second"
            case .epoch: "number of seconds since the epoch"
            case .offset, .zoneName: "time zone"
            }
        }
    }

    enum Item: Hashable {
        case byte(UInt8)
        /// One blank or more; one is written.
        case blank
        case field(Field, Padding)
    }

    /// The format as it was given.
    package let text: String
    let items: [Item]

    /// Whether a text of this format says how far its clock is from UTC.
    package let hasZone: Bool

    /// Reads a format.
    ///
    /// - Parameter text: The format.
    /// - Throws: ``Flaw``, which shows the place.
    package init(_ text: String) throws(Flaw) {
        self.text = text
        var compiler = Compiler(text)
        try compiler.compile()
        items = compiler.items
        hasZone = compiler.parts.contains("time zone") || compiler.parts.contains("number of seconds since the epoch")
    }

    /// Makes items of a text.
    private struct Compiler {
        private let characters: [Character]
        private(set) var items: [Item] = []
        private(set) var parts: Set<String> = []

        init(_ text: String) {
            characters = Array(text)
        }

        mutating func compile() throws(Flaw) {
            var place = 0
            while place < characters.count {
                let start = place
                let character = characters[place]
                place += 1
                switch character {
                case "%": try readField(&place, from: start)
                case " ": add(.blank)
                default: for byte in String(character).utf8 { add(.byte(byte)) }
                }
            }
            try checkWhole()
        }

        private mutating func readField(_ place: inout Int, from start: Int) throws(Flaw) {
            var flag: Character?
            if place < characters.count, "-.:123456789".contains(characters[place]) {
                flag = characters[place]
                place += 1
            }
            guard place < characters.count else { throw flaw("a field has no letter", at: start) }
            let letter = characters[place]
            place += 1
            if flag == nil, let items = Self.shortForms[letter] {
                for item in items { try add(item, at: start) }
                return
            }
            guard let item = Self.item(letter, flag) else {
                throw flaw("there is no field '\(Excerpt.line(String(characters[start..<place])))'", at: start)
            }
            try add(item, at: start)
        }

        private mutating func add(_ item: Item, at start: Int) throws(Flaw) {
            if case .field(let field, _) = item, !parts.insert(field.part).inserted {
                throw flaw("the \(field.part) stands there twice", at: start)
            }
            add(item)
        }

        private mutating func add(_ item: Item) {
            // A second blank would find none that the first one has left.
            if item == .blank, items.last == .blank { return }
            items.append(item)
        }

        private static let date: [Item] = [
            .field(.year, .zeros), .byte(UInt8(ascii: "-")), .field(.month, .zeros), .byte(UInt8(ascii: "-")),
            .field(.day, .zeros),
        ]
        private static let time: [Item] = [
            .field(.hour, .zeros), .byte(UInt8(ascii: ":")), .field(.minute, .zeros), .byte(UInt8(ascii: ":")),
            .field(.second, .zeros),
        ]
        private static let shortForms: [Character: [Item]] = [
            "F": date, "T": time, "R": Array(time.prefix(3)),
            "D": [
                .field(.month, .zeros), .byte(UInt8(ascii: "/")), .field(.day, .zeros), .byte(UInt8(ascii: "/")),
                .field(.shortYear, .zeros),
            ],
            "n": [.blank], "t": [.blank], "%": [.byte(UInt8(ascii: "%"))],
        ]

        private static func item(_ letter: Character, _ flag: Character?) -> Item? {
            let numbers: [Character: Field] = [
                "m": .month, "d": .day, "e": .day, "j": .dayOfYear, "H": .hour, "I": .halfHour, "M": .minute,
                "S": .second,
            ]
            if let field = numbers[letter] {
                switch flag {
                case nil: return .field(field, letter == "e" ? .blank : .zeros)
                case "-": return .field(field, .none)
                default: return nil
                }
            }
            switch (letter, flag) {
            case ("f", nil), ("N", nil): return .field(.fraction(0), .none)
            case ("f", "."), ("N", "."): return .field(.pointAndFraction, .none)
            case ("f", let flag?), ("N", let flag?):
                return flag.wholeNumberValue.map { .field(.fraction($0), .none) }
            case ("z", ":"): return .field(.offset(hasColon: true), .none)
            case ("Y", nil): return .field(.year, .zeros)
            case ("y", nil): return .field(.shortYear, .zeros)
            case ("b", nil): return .field(.monthName(isFull: false), .none)
            case ("B", nil): return .field(.monthName(isFull: true), .none)
            case ("a", nil): return .field(.weekday(isFull: false), .none)
            case ("A", nil): return .field(.weekday(isFull: true), .none)
            case ("p", nil): return .field(.half, .none)
            case ("s", nil): return .field(.epoch, .none)
            case ("z", nil): return .field(.offset(hasColon: false), .none)
            case ("Z", nil): return .field(.zoneName, .none)
            default: return nil
            }
        }

        /// Checks that the parts make a time.
        private func checkWhole() throws(Flaw) {
            func has(_ field: Field) -> Bool { parts.contains(field.part) }
            let calendar: [Field] = [
                .year, .month, .day, .dayOfYear, .weekday(isFull: true), .hour, .half, .minute, .second, .zoneName,
            ]
            if has(.epoch) {
                guard let other = calendar.first(where: has) else { return }
                throw flaw("the seconds since the epoch need no \(other.part) beside them", at: nil)
            }
            guard has(.year) else { throw flaw("there is no year, such as %Y", at: nil) }
            if has(.dayOfYear) {
                guard !has(.month), !has(.day) else {
                    throw flaw("the day of the year needs no month and no day beside it", at: nil)
                }
            } else {
                guard has(.month) else { throw flaw("there is no month, such as %m", at: nil) }
                guard has(.day) else { throw flaw("there is no day, such as %d", at: nil) }
            }
            let countsTo12 = items.contains { if case .field(.halfHour, _) = $0 { true } else { false } }
            guard countsTo12 == has(.half) else { throw flaw("%I and %p belong together", at: nil) }
            for (smaller, larger) in [(Field.minute, Field.hour), (.second, .minute), (.fraction(0), .second)]
            where has(smaller) && !has(larger) {
                throw flaw("there is a \(smaller.part) and no \(larger.part)", at: nil)
            }
        }

        private func flaw(_ words: String, at place: Int?) -> Flaw {
            let text = String(characters)
            guard let place else { return Flaw(reason: "\(words): '\(Excerpt.line(text))'") }
            let marked = "\(String(characters[..<place]))^\(String(characters[place...]))"
            return Flaw(reason: "\(words), at the ^ in '\(Excerpt.line(marked))'")
        }
    }
}
