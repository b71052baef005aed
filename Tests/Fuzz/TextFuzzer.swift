import Foundation
import WeirCore
import WeirFoundation
import WeirRecording
import WeirRecords

@testable import WeirCreation
@testable import WeirSentiment
@testable import WeirTesting

/// What libFuzzer calls with each input that it makes up.
///
/// The first byte chooses what is tried; the rest is text that a person wrote, or the contents of a file. What has a
/// simple model is compared with it, and what was understood is understood again when it is written anew.
@c
public func LLVMFuzzerTestOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 1 else { return 0 }
    var input = Input(unsafe Array(UnsafeBufferPointer(start: data + 1, count: count - 1))[...])
    switch unsafe data[0] % 29 {
    case 0: checkJSON(Array(input.rest))
    case 1: checkConfiguration(&input)
    case 2: checkCommandLine(&input)
    case 3: checkValues(&input)
    case 4: checkSchedule(&input)
    case 5: checkDiagram(&input)
    case 6: checkLexicon(&input)
    case 7: checkWords(&input)
    case 8: checkExpression(&input)
    case 9: checkPattern(&input)
    case 10: checkLibrary(&input)
    case 11: checkTable(&input)
    case 12: checkPlugin(&input, .shake)
    case 13: checkPlugin(&input, .sentiment)
    case 14: checkPlugin(&input, .walk)
    case 15: checkPlugin(&input, .fraud)
    case 16: checkRecording(&input, isSound: false)
    case 17: checkRecording(&input, isSound: true)
    case 18: checkRecorder(&input)
    case 19: checkBody(&input)
    case 20: checkStatus(&input)
    case 21: checkDecodables(&input)
    case 22: checkZone(&input)
    case 23: checkTimeFormat(&input)
    case 24: checkQuery(&input)
    case 25: checkCheckpoint(&input)
    case 26: checkFields(&input)
    case 27: checkOutline(&input)
    default: checkTextPattern(&input)
    }
    return 0
}

/// A precondition that says what is wrong in optimised code as well.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// Checks that a message can stand on a line, whatever was written.
func requireLine(_ message: String) {
    let isLine = message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    require(isLine && !message.isEmpty, "no line: \(message.debugDescription)")
}

/// The bytes that are left of an input.
struct Input {
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number() -> Int64 { (0..<8).reduce(0) { number, _ in number << 8 | Int64(byte()) } }

    /// A number of any magnitude, mostly a small one.
    mutating func anyNumber() -> Int64 {
        let choice = byte()
        if choice >= 250 { return number() }
        let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        return choice >= 200 ? ends[Int(choice) % 7] : Int64(Int8(bitPattern: byte()))
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// What is left, as a text.
    var text: String { String(decoding: rest, as: UTF8.self) }
}

// MARK: Values

/// Durations, templates, speeds and environments.
func checkValues(_ input: inout Input) {
    let text = input.text
    if let duration = Duration(text: text) {
        let nanoseconds = duration.wholeNanoseconds
        require(Duration(text: "\(nanoseconds)ns") == duration, "'\(text)' is another duration")
        require(nanoseconds == wholeNanoseconds(of: text), "'\(text)' is \(nanoseconds) ns")
    }
    if case .times(let times)? = ReplaySpeed(text) {
        require(times > 0 && times.isFinite && ReplaySpeed("\(times)x") == .times(times), "'\(text)' is another speed")
        var schedule = ReplaySchedule(.times(times), first: .distantPast, start: .epoch)
        require(schedule.due(.distantFuture).map { $0 >= .epoch } ?? false, "it is due before it begins")
    }
    checkTemplate(text)
    var options: [String: String] = [:]
    let variables = Dictionary(
        text.split(separator: "\n").map { line in
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(sides[0]), String(sides[sides.count - 1]))
        },
        uniquingKeysWith: { first, _ in first }
    )
    do throws(HostError) {
        try EnvironmentOptions { variables[$0] }.fill(&options, RunOptions.all.map { AcceptedOption($0) })
        let areGiven = options.allSatisfy { name, value in
            value.isEmpty || value == variables[EnvironmentOptions.variable(of: name)]
        }
        require(areGiven, "other values: \(options)")
    } catch {
        requireSaid(error)
    }
}

/// The nanoseconds of a duration, with exact fractions, cut part by part.
private func wholeNanoseconds(of text: String) -> Int64 {
    let units: [String: Int128] = [
        "d": 86_400_000_000_000, "h": 3_600_000_000_000, "m": 60_000_000_000, "s": 1_000_000_000, "ms": 1_000_000,
        "us": 1_000, "ns": 1,
    ]
    var rest = text[...]
    var sum: Int128 = 0
    while !rest.isEmpty {
        let number = rest.prefix { $0.isNumber || $0 == "." }
        rest = rest.dropFirst(number.count)
        let unit = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(unit.count)
        let sides = number.split(separator: ".", omittingEmptySubsequences: false)
        // More digits than these make no nanosecond.
        let digits = sides.count > 1 ? sides[1].prefix(15) : ""
        let scale = digits.reduce(Int128(1)) { scale, _ in scale * 10 }
        let count = (Int128(sides[0]) ?? 0) * scale + (Int128(digits) ?? 0)
        sum += count * (units[String(unit)] ?? 0) / scale
    }
    return Int64(clamping: sum)
}

/// A template is refused, or its parts make the same template.
func checkTemplate(_ text: String) {
    do throws(HostError) {
        guard case .template(let pieces) = try MatchStyle("template:" + text) else { fatalError("no template") }
        let written = pieces.map { piece in
            switch piece {
            case .field(let name): "{\(name)}"
            case .text(let text):
                text.map { $0 == "{" || $0 == "}" ? "\($0)\($0)" : "\($0)" }.joined()
            }
        }
        let again = try MatchStyle("template:" + written.joined())
        require(again == .template(pieces) || text.contains("\\"), "\(again), not \(pieces)")
    } catch {
        requireSaid(error)
    }
}

// MARK: Decodable events

/// A record that knows nothing of Weir.
private struct Row: Decodable, Sendable, Equatable {
    let time: Timestamp
    let a: Int?
    let b: Double?
    let c: String
    let d: Date?
}

/// Values that are only decodable are the same, however their bytes come.
func checkDecodables(_ input: inout Input) {
    let (choice, size) = (input.byte(), Int(input.byte()) + 1)
    let bytes = Array(input.rest)
    let limits = FormatLimits(lineLength: choice & 2 == 0 ? 1 << 20 : 64)
    func read(_ size: Int) -> (rows: [Row], rejections: [String]) {
        var reader = DecodableReader(
            Row.self,
            format: choice & 1 == 0 ? .csv : .jsonLines,
            timeUnit: choice & 4 == 0 ? .milliseconds : .nanoseconds,
            limits: limits
        )
        var rows: [Row] = []
        var rejections: [String] = []
        func reject(_ line: WeirFoundation.RejectedLine) {
            // Of a line that is too long the excerpt is of what had come.
            let isWhole = !line.reason.hasPrefix("the line is longer")
            rejections.append("\(line.line): \(line.reason): \(isWhole ? line.excerpt : "")")
        }
        do throws(FormatError) {
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = bytes[start..<min(start + size, bytes.count)]
                try reader.read(piece, onEvents: { rows += $0 }, onRejection: reject)
            }
            try reader.finish(onEvents: { rows += $0 }, onRejection: reject)
        } catch {
            rejections.append("\(error)")
        }
        return (rows, rejections)
    }
    let (whole, pieces) = (read(1 << 20), read(size))
    require(whole.rows == pieces.rows && whole.rejections == pieces.rejections, "the cuts matter:\n\(whole)\n\(pieces)")
    for rejection in whole.rejections { requireLine(said(rejection)) }
}

// MARK: Schedules

/// The next time of a schedule is one of its times, and there is none before it.
func checkSchedule(_ input: inout Input) {
    let start = Timestamp(nanosecondsSinceEpoch: input.number() / 2)
    let offset = Int64(Int8(bitPattern: input.byte())) * 11
    let text = input.text
    do throws(CronError) {
        let schedule = try CronSchedule(text, aheadOfUTC: .seconds(offset * 60))
        let model = CronModel(text)
        guard let next = schedule.next(after: start) else { fatalError("'\(text)' is never due after \(start)") }
        let minute: Int64 = 60_000_000_000
        func minutes(_ time: Timestamp) -> Int64 {
            time.roundedDown(toNanoseconds: minute).nanosecondsSinceEpoch / minute + offset
        }
        require(next > start && next.nanosecondsSinceEpoch % minute == 0, "no whole minute")
        require(model.isDue(minutes(next)), "'\(text)' is not due")
        for minute in (minutes(start) + 1)..<min(minutes(next), minutes(start) + 4000) {
            require(!model.isDue(minute), "'\(text)' is due before \(next)")
        }
    } catch {
        requireLine("\(error)")
    }
}

/// The values of a schedule's five fields, read in another way.
private struct CronModel {
    private var fields: [Set<Int64>] = []
    private let isEither: Bool

    init(_ text: String) {
        let texts = text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
        let ranges: [(ClosedRange<Int64>, [String])] = [
            (0...59, []), (0...23, []), (1...31, []), (1...12, "jan feb mar apr may jun jul aug sep oct nov dec".words),
            (0...7, "sun mon tue wed thu fri sat".words),
        ]
        for (text, (range, words)) in zip(texts, ranges) {
            var values: Set<Int64> = []
            for item in text.split(separator: ",") {
                let sides = item.split(separator: "/")
                let ends = sides[0].split(separator: "-").map { end in
                    words.firstIndex(of: String(end)).map { Int64($0) + range.lowerBound } ?? Int64(end) ?? -1
                }
                let span = sides[0] == "*" ? range : ends[0]...ends[ends.count - 1]
                let step = sides.count > 1 ? Int64(sides[1]) ?? 0 : 1
                values.formUnion(span.filter { ($0 - span.lowerBound) % step == 0 })
            }
            fields.append(values)
        }
        isEither = !texts[2].hasPrefix("*") && !texts[4].hasPrefix("*")
    }

    /// Whether the schedule is due in a minute of its clock, counted since the epoch.
    func isDue(_ minute: Int64) -> Bool {
        let day = (Double(minute) / 1440).rounded(.down)
        let ofDay = minute - Int64(day) * 1440
        let date = GregorianCalendar.date(daysSinceEpoch: Int64(day))
        let weekday = ((Int64(day) + 4) % 7 + 7) % 7
        let isDay = fields[2].contains(date.day)
        let isWeekday = fields[4].contains(weekday) || (weekday == 0 && fields[4].contains(7))
        return fields[0].contains(ofDay % 60) && fields[1].contains(ofDay / 60) && fields[3].contains(date.month)
            && (isEither ? isDay || isWeekday : isDay && isWeekday)
    }
}

extension String {
    fileprivate var words: [String] { split(separator: " ").map(String.init) }
}

// MARK: Diagrams

/// The signals of a diagram are those of the diagram that is drawn of them.
func checkDiagram(_ input: inout Input) {
    let text = input.text
    do {
        let diagram = try MarbleDiagram(parsing: text)
        let signals = try diagram.signals(diagram.names)
        let drawn = MarbleDrawing(values: diagram.names, scale: MarbleScale(), areEqual: ==).draw(signals)
        // What is far away is drawn without its time.
        let isNear = diagram.moments.allSatisfy { moment in
            moment.timeColumn.magnitude < 1000 && moment.nanoseconds.magnitude < 400_000_000
        }
        guard isNear else { return }
        let again = try MarbleDiagram(parsing: drawn)
        require(try again.signals(diagram.names) == signals, "'\(text)' is drawn as '\(drawn)'")
    } catch {
        requireLine("\(error)")
    }
}

// MARK: Words

/// A list of words is refused, or written anew means the same.
func checkLexicon(_ input: inout Input) {
    do throws(Lexicon.Flaw) {
        let lexicon = try Lexicon(Array(input.rest))
        let lines = input.text.split(separator: "\n", omittingEmptySubsequences: false)
        require(lexicon.count <= lines.count, "more words than lines")
        // The last of two lines counts.
        let again = try Lexicon(Array((input.text + "\n\n# nothing\r\n" + input.text).utf8))
        require(again.count == lexicon.count, "another list")
        for line in lines {
            let sides = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard sides.count > 1 else { continue }
            let text = String(sides[0])
            let (value, other) = (lexicon.value(of: text), again.value(of: text))
            require(value.bitPattern == other.bitPattern, "\(other) for '\(text)', and not \(value)")
        }
    } catch {
        requireLine("\(error)")
    }
}

/// The quick way through ASCII finds the same words as the other; and how words are kept apart makes no difference.
func checkWords(_ input: inout Input) {
    let text = input.text
    func words(_ text: String) -> [PostWords.Word] { Lexicon.builtIn.words(of: text).words }
    let found = words(text)
    require(words("  " + text + "\n") == found, "blanks matter")
    for word in found { require(!word.text.isEmpty, "an empty word") }
    let value = Lexicon.builtIn.value(of: text)
    require(value.isFinite && value.magnitude <= 5 * Double(found.count), "a value of \(value)")
    // Marks that stand alone would join what keeps words apart here.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return }
    let apart = text.unicodeScalars.map { $0 == " " || (9...13).contains($0.value) ? "\u{3000}" : String($0) }.joined()
    require(words(apart + "\u{3000}") == found, "other words: \(words(apart)), not \(found)")
}
