import WeirCore
import WeirSelection
import WeirTesting

/// Reads bytes as a checkpoint, as they are or with right checksums: they are one, or an error of one line.
func checkCheckpoint(_ input: inout Input) {
    let choice = input.byte()
    do throws(StateError) {
        let bytes = choice % 2 == 0 ? Array(input.rest) : sealed(Array(input.rest))
        let checkpoint = try Checkpoint(bytes: bytes)
        require(checkpoint.bytes == bytes, "a checkpoint has other bytes than it was made of")
        for section in try checkpoint.parts { require(section.byteCount <= bytes.count, "a section is too long") }
        let channel = EventChannel<Int>(clock: EventClock(VirtualClock()))
        channel.scan(into: [Int]()) { $0.append($1) }.enumerated().subscribe { _ in }
        requireLine("\(try channel.restore(checkpoint, droppingMismatches: choice & 2 != 0))")
    } catch {
        requireLine("\(error)")
    }
}

/// Changes the fields of a checkpoint, with right checksums: values of all kinds are read, or an error of one line.
func checkFields(_ input: inout Input) {
    var fields = Fields(&input)
    let saved: Checkpoint
    do throws(StateError) { saved = try Checkpoint { state throws(StateError) in try fields.exchange(&state) } } catch {
        return require(false, "fields cannot be saved: \(error)")
    }
    var same = Fields()
    var changed = Fields()
    do throws(StateError) {
        try saved.restore { state throws(StateError) in try same.exchange(&state) }
        require(same == fields, "fields come back as others")
        var bytes = saved.bytes
        while !input.rest.isEmpty {
            let place = (Int(input.byte()) << 8 | Int(input.byte())) % bytes.count
            bytes[place] ^= input.byte()
        }
        let other = try Checkpoint(bytes: sealed(bytes))
        try other.restore(droppingMismatches: true) { state throws(StateError) in try changed.exchange(&state) }
        var copy = changed
        let again = try Checkpoint { state throws(StateError) in try copy.exchange(&state) }
        var last = Fields()
        try again.restore { state throws(StateError) in try last.exchange(&state) }
        require(last == changed, "what was restored comes back as something else")
    } catch {
        requireLine("\(error)")
    }
}

/// Puts together states from bytes and their changes, right ones and any others.
func checkOutline(_ input: inout Input) {
    let repeats = 1 + Int(input.byte())
    let rest = Array(input.rest)
    let half = rest.count / 2
    let before = [[UInt8]](repeating: Array(rest[..<half]), count: repeats).flatMap { $0 }
    let after = before.dropFirst(half / 2) + rest[half...] + before
    let changes = StateOutline(of: before).changes(to: Array(after)).changes ?? []
    require(StateOutline.state(before + changes, changes: [changes.count]) == Array(after), "changes lead elsewhere")
    _ = StateOutline.state(rest, changes: [rest.count - half, half], limit: 1 << 24)
    _ = StateOutline.state(before + rest, changes: [rest.count], limit: 1 << 24)
}

/// Values of which every pattern of bits is one.
private struct Fields: Equatable {
    var numbers: [Int16] = []
    var texts: [String?] = []
    var table: [String: UInt32] = [:]
    var known: Set<UInt8> = []
    var pair: (Int, Substring) = (0, "")
    var nested: [[Int?]] = []

    init() {}

    init(_ input: inout Input) {
        let count = Int(input.byte() % 8)
        for index in 0..<count {
            numbers.append(Int16(truncatingIfNeeded: input.anyNumber()))
            texts.append(index % 3 == 0 ? nil : String(decoding: input.bytes(3), as: UTF8.self))
            table["\(index)"] = UInt32(input.byte())
            known.insert(input.byte())
            nested.append([Int(input.byte()), nil])
        }
        pair = (Int(input.anyNumber()), "é"[...])
    }

    mutating func exchange(_ state: inout StateExchange) throws(StateError) {
        try state.begin("values")
        try state.exchange(&numbers)
        try state.exchange(&texts)
        try state.exchange(&table)
        try state.begin("more")
        try state.exchange(&known)
        try state.exchange(&pair)
        try state.exchange(&nested)
    }

    static func == (left: Self, right: Self) -> Bool {
        left.numbers == right.numbers && left.texts == right.texts && left.table == right.table
            && left.known == right.known && left.pair == right.pair && left.nested == right.nested
    }
}

/// The bytes with the length and the checksums that a checkpoint of them would have.
private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 48 else { return bytes }
    var bytes = bytes
    func put(_ number: UInt64, _ size: Int, at offset: Int) {
        for index in 0..<size { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
    }
    func number(_ size: Int, at offset: Int) -> UInt64 {
        (0..<size).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
    }
    put(UInt64(bytes.count), 8, at: 16)
    put(UInt64(Checksum.of(bytes, 16..<40)), 4, at: 12)
    var start = 40
    while start + 36 <= bytes.count - 8 {
        let nameLength = Int(number(4, at: start))
        let fields = start + 32 + nameLength
        guard fields + 4 <= bytes.count - 8 else { break }
        let length = number(8, at: fields - 8)
        guard length <= UInt64(bytes.count - 12 - fields) else { break }
        let end = fields + Int(length)
        put(UInt64(Checksum.of(bytes, start..<end)), 4, at: end)
        start = end + 4
    }
    return bytes
}
