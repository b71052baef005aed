public import WeirCore

/// How starts expire.
extension CompactCounter {
    @inlinable
    mutating func expire(before floor: Int64, _ instructions: borrowing PositionRing<CompactInstruction>) {
        if frontCount != 0 {
            if frontTimes[frontCount &- 1] >= floor { return }
            repeat { frontCount &-= 1 } while frontCount != 0 && frontTimes[frontCount &- 1] < floor
        } else if firstBegun >= floor {
            return
        }
        if frontCount == 0, firstBegun < floor { turn(floor, instructions) }
        sum()
    }

    /// Drops the oldest start before its time.
    ///
    /// - Returns: How many starts are forgotten: one at most.
    @usableFromInline
    @inline(never)
    mutating func expireOldest(_ instructions: borrowing PositionRing<CompactInstruction>) -> Int {
        if frontCount == 0 { turn(.min, instructions) }
        guard frontCount != 0 else { return 0 }
        frontCount &-= 1
        sum()
        return 1
    }

    /// What began at the front that is left, moved on by the events since, and what has begun since.
    @inlinable
    mutating func sum() {
        for state in 0..<stateCount { numbers[state] = begun[state] }
        guard frontCount != 0 else { return }
        for column in 0..<stateCount {
            let number = frontSums[(frontCount &- 1) &* stateCount &+ column]
            if number == 0 { continue }
            for state in 0..<stateCount {
                numbers[state] = numbers[state] &+ map[column &* stateCount &+ state] &* number
            }
        }
    }

    @inlinable
    mutating func clearBack() {
        entryCount = 0
        firstBegun = .max
        for column in 0..<stateCount {
            begun[column] = 0
            for state in 0..<stateCount { map[column &* stateCount &+ state] = state == column ? 1 : 0 }
        }
    }

    /// Makes the events since the last turn the front, without the starts that have expired.
    @usableFromInline
    @inline(never)
    mutating func turn(_ floor: Int64, _ instructions: borrowing PositionRing<CompactInstruction>) {
        // `map` is what the events after the one looked at do, by rows: what each state gets from each one.
        for row in 0..<stateCount {
            for state in 0..<stateCount { map[row &* stateCount &+ state] = state == row ? 1 : 0 }
        }
        var position = entryCount
        while position != 0 {
            position &-= 1
            let entry = entries[position]
            if entry.time < floor { break }
            if entry.program.starts { appendFront(entry, instructions) }
            composeBefore(entry.program, instructions)
        }
        clearBack()
    }

    @usableFromInline
    mutating func appendFront(_ entry: Entry, _ instructions: borrowing PositionRing<CompactInstruction>) {
        let base = frontCount &* stateCount
        if Int(base &+ stateCount) > frontSums.capacity {
            frontSums.resize(to: frontSums.capacity * 2, keeping: 0, to: base, filler: 0)
        }
        if Int(frontCount) == frontTimes.capacity {
            frontTimes.resize(to: frontTimes.capacity * 2, keeping: 0, to: frontCount, filler: 0)
        }
        for state in 0..<stateCount {
            frontSums[base &+ state] = frontCount == 0 ? 0 : frontSums[base &- stateCount &+ state]
        }
        // What begins is at the end of a program.
        var index = entry.program.first
        while instructions[index].operation != .fromStart { index &+= instructions[index].number &+ 1 }
        index &+= 1
        while index != entry.program.end {
            let instruction = instructions[index]
            index &+= 1
            if instruction.operation == .match || instruction.operation == .matchTaking { continue }
            for row in 0..<stateCount {
                let gained = map[row &* stateCount &+ UInt32(instruction.cell)]
                frontSums[base &+ row] = frontSums[base &+ row] &+ gained
            }
        }
        frontTimes[frontCount] = entry.time
        frontCount &+= 1
    }

    /// Composes the map of the later events with that of an event before them.
    @usableFromInline
    mutating func composeBefore(_ program: CompactProgram, _ instructions: borrowing PositionRing<CompactInstruction>) {
        for row in 0..<stateCount {
            let base = row &* stateCount
            for state in 0..<stateCount { scratch[state] = map[base &+ state] }
            var index = program.first
            while index != program.end {
                let source = instructions[index]
                index &+= 1
                let end = index &+ source.number
                if source.operation == .fromStart { break }
                var gained = source.operation == .from ? 0 : scratch[UInt32(source.cell)]
                while index != end {
                    let instruction = instructions[index]
                    index &+= 1
                    if instruction.operation == .match || instruction.operation == .matchTaking { continue }
                    gained = gained &+ scratch[UInt32(instruction.cell)]
                }
                map[base &+ UInt32(source.cell)] = gained
            }
        }
        for state in 0..<stateCount { scratch[state] = 0 }
    }
}
