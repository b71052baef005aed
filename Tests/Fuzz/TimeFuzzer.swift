@testable import WeirCore
@testable import WeirRecords

/// Checks that the bytes of a time zone are read or refused, and that what was read finds its way.
func checkZone(_ input: inout Input) {
    let local = input.anyNumber() % 9_300_000_000
    var place = Int(input.anyNumber() % 1_000)
    let zone: ZoneRules
    do throws(ZoneFile.Flaw) {
        zone = try ZoneFile.rules(Array(input.rest), name: "X")
    } catch {
        requireLine(error.reason)
        return
    }
    let (offset, reading) = zone.offset(atLocal: local, place: &place)
    var other = 0
    require(zone.offset(atLocal: local, place: &other) == (offset, reading), "the place that was tried first matters")
    require(place == other, "there are two places")
    // What clocks show once is there at the time that it is.
    let there = zone.offset(at: Timestamp(secondsSinceEpoch: (local - offset) % 9_200_000_000))
    require(there.magnitude < 100_000, "a clock is \(there) s from UTC")
}

/// Checks that a format is read or refused in one line, and that a time written in it is read, to be written the same.
func checkTimeFormat(_ input: inout Input) {
    let time = Timestamp(nanosecondsSinceEpoch: input.anyNumber())
    let length = Int(input.byte() % 40)
    let format: TimeFormat
    do throws(TimeFormat.Flaw) {
        format = try TimeFormat(String(decoding: input.bytes(length), as: UTF8.self))
    } catch {
        requireLine(error.reason)
        return
    }
    let zone = ZoneRules(name: "UTC", offset: 0)
    for times in [InputTimes(unit: nil, zone: zone, format: format), InputTimes(unit: nil, zone: zone)] {
        var text = Array(input.rest)
        if case .text(let written) = times.written(time), text.isEmpty { text = written }
        guard let read = nanoseconds(text, times) else { continue }
        guard case .text(let written) = times.written(Timestamp(nanosecondsSinceEpoch: read)) else { continue }
        guard let again = nanoseconds(written, times) else { continue }
        guard case .text(let rewritten) = times.written(Timestamp(nanosecondsSinceEpoch: again)) else { continue }
        require(written == rewritten, "\(String(decoding: written, as: UTF8.self)) is read as another time")
    }
}

private func nanoseconds(_ text: [UInt8], _ times: InputTimes) -> Int64? {
    let result = unsafe text.withUnsafeBufferPointer { unsafe times.nanoseconds($0, isCounted: true) }
    guard case .value(let value) = result else {
        requireLine("\(result.reason(excerpt: Excerpt.of(text, limit: 40)))")
        return nil
    }
    return value
}
