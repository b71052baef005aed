import Foundation
import TestRecordings
import WeirCore
import WeirFoundation
import WeirRecording
import WeirTesting

struct Reading: Event, Codable, Equatable {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
}

struct Tick: Event, Codable, Equatable {
    var timestamp: Timestamp
    var number: Int
}

/// Whatever Codable can say.
struct Everything: Event, Codable, Equatable {
    enum Shape: Codable, Equatable, Sendable {
        case nothing
        case circle(radius: Double)
        case polygon([Double], isClosed: Bool)
        case named(String, Inner)
        indirect case pair(Shape, Shape)
    }

    enum Level: String, Codable, Sendable { case low, high }

    struct Inner: Codable, Equatable, Sendable {
        var count: UInt8
        var note: String?
    }

    var timestamp: Timestamp
    var yes: Bool
    var small: Int8
    var big: Int64
    var huge: UInt64
    var enormous: Int128
    var single: Float
    var double: Double
    var text: String
    var maybe: Int?
    var never: Inner?
    var inner: Inner
    var list: [Inner]
    var optionals: [Double?]
    var byName: [String: Int]
    var byNumber: [Int: [String]]
    var byLevel: [Level: Double]
    var set: Set<Int>
    var shape: Shape
    var date: Date
    var uuid: UUID
    var data: Data
    var url: URL?
    var decimal: Decimal

    static func random(using generator: inout SeededGenerator) -> Everything {
        func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number {
            // All magnitudes alike.
            let shift = Int.random(in: 0..<Number.bitWidth, using: &generator)
            return Number.random(in: 0 ... .max, using: &generator) >> Number(shift)
        }
        func text() -> String {
            let letters = Array("abc \u{0}\"\\ä€😀\u{301}")
            let count = Int.random(in: 0..<12, using: &generator)
            return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] })
        }
        func inner() -> Inner { Inner(count: number(UInt8.self), note: Bool.random(using: &generator) ? text() : nil) }
        func real() -> Double {
            let bits = Double(bitPattern: generator.next())
            return bits.isNaN ? .infinity : bits
        }
        func shape(_ depth: Int) -> Shape {
            switch Int.random(in: 0..<(depth > 3 ? 4 : 5), using: &generator) {
            case 0: .nothing
            case 1: .circle(radius: real())
            case 2: .polygon([real(), real()], isClosed: Bool.random(using: &generator))
            case 3: .named(text(), inner())
            default: .pair(shape(depth + 1), shape(depth + 1))
            }
        }
        func several() -> Range<Int> { 0..<Int.random(in: 0..<4, using: &generator) }
        return Everything(
            timestamp: Timestamp(nanosecondsSinceEpoch: Int64(bitPattern: number(UInt64.self))),
            yes: Bool.random(using: &generator),
            small: Int8(bitPattern: number(UInt8.self)),
            big: Int64(bitPattern: number(UInt64.self)),
            huge: number(UInt64.self),
            enormous: Int128(truncatingIfNeeded: number(UInt128.self)),
            single: Float(Int16.random(in: -300...300, using: &generator)) / 7,
            double: real(),
            text: text(),
            maybe: Bool.random(using: &generator) ? Int(number(UInt32.self)) : nil,
            never: Bool.random(using: &generator) ? inner() : nil,
            inner: inner(),
            list: several().map { _ in inner() },
            optionals: several().map { _ in Bool.random(using: &generator) ? real() : nil },
            byName: Dictionary(several().map { _ in (text(), Int(number(UInt16.self))) }) { $1 },
            byNumber: Dictionary(several().map { _ in (Int(number(UInt16.self)), [text()]) }) { $1 },
            byLevel: Bool.random(using: &generator) ? [:] : [.low: real(), .high: real()],
            set: Set(several()),
            shape: shape(0),
            date: Date(timeIntervalSinceReferenceDate: Double(Int32(truncatingIfNeeded: generator.next())) / 1024),
            uuid: UUID(),
            data: Data(several().map { _ in number(UInt8.self) }),
            url: Bool.random(using: &generator) ? URL(string: "https://example.org/a?b=\(number(UInt8.self))") : nil,
            decimal: Decimal(Int(number(UInt32.self))) / 100
        )
    }
}

func second(_ second: Int) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(second)) }

/// A clock that stands still.
struct StillClock: TimeSource {
    func now() -> Timestamp { second(1_000_000) }
}

/// Records into memory.
func record(into storage: MemoryStorage, _ body: (EventRecorder) throws -> Void) throws {
    let recorder = try EventRecorder(storage: { storage }, clock: StillClock())
    try body(recorder)
    try recorder.close()
}

/// What a reader finds: the events up to the end or to an error.
struct Found {
    var events: [RecordedEvent] = []
    var cutBytes = 0
    var error: RecordingError?

    init(_ bytes: [UInt8]) {
        do throws(RecordingError) {
            var reader = try RecordingReader(storage: MemoryStorage(bytes))
            defer { cutBytes = reader.cutBytes }
            while let event = try reader.next() { events.append(event) }
        } catch {
            self.error = error
        }
    }

    func ticks() throws -> [Int] { try events.map { try $0.decode(Tick.self).number } }
}

func ticks(_ numbers: Range<Int>) throws -> [UInt8] {
    let storage = MemoryStorage()
    try record(into: storage) { recorder in
        for number in numbers { try recorder.record(Tick(timestamp: second(number), number: number)) }
    }
    return storage.bytes
}
