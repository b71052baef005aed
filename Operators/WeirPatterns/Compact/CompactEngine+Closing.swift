public import WeirCore

extension CompactEngine {
    /// Fills in the events of the match at which the cursor is.
    ///
    /// - Parameters:
    ///   - match: What to fill in.
    ///   - element: The event that completes the matches.
    @inlinable
    func fill(_ match: inout FoundMatch<Element>, _ element: borrowing Element) {
        match.entries.removeAll(keepingCapacity: true)
        var index = cursor.length
        while index != 0 {
            index &-= 1
            let step = cursor.steps[index]
            if step.event == CompactCursor.current {
                append(copy element, time, step.capture, to: &match)
            } else {
                append(step, to: &match)
            }
        }
    }

    @inlinable
    func append(_ step: CompactCursor.Step, to match: inout FoundMatch<Element>) {
        let event = graph.events[step.event]
        if let element = event.element { append(element, event.time, step.capture, to: &match) }
    }

    @inlinable
    func append(_ element: Element, _ time: Int64, _ capture: UInt32, to match: inout FoundMatch<Element>) {
        match.entries.append(
            FoundMatch.Entry(
                capture: Int(capture),
                element: element,
                time: Timestamp(nanosecondsSinceEpoch: time)
            )
        )
    }

    /// Moves time on, and tells what the windows that close by it bring about.
    @inlinable
    mutating func advance<Output: MatchReceiver>(
        to time: Int64,
        _ match: inout FoundMatch<Element>,
        into output: inout Output
    ) where Output.Element == Element {
        guard time > self.time else { return }
        if time >= starts.nextClosing { close(by: time, &match, into: &output) }
        advance(to: time)
    }

    @inlinable
    @inline(never)
    mutating func close<Output: MatchReceiver>(
        by time: Int64,
        _ match: inout FoundMatch<Element>,
        into output: inout Output
    ) where Output.Element == Element {
        guard let within else { return }
        let (latest, isTooEarly) = time.subtractingReportingOverflow(within)
        guard !isTooEarly else { return }
        while starts.first != starts.end, starts.starts[starts.first].time <= latest {
            if starts.isExact {
                closeFirst(within, &match, into: &output)
            } else {
                lookAtFirst(latest, time)
            }
        }
        starts.updateNextClosing(within)
    }

    /// Tells about all partial matches that began when the first that is noted did, and ends them.
    @inlinable
    mutating func closeFirst<Output: MatchReceiver>(
        _ within: Int64,
        _ match: inout FoundMatch<Element>,
        into output: inout Output
    ) where Output.Element == Element {
        let begin = starts.first
        let time = starts.starts[begin].time
        while starts.first != starts.end, starts.starts[starts.first].time == time {
            let start = starts.starts[starts.first]
            starts.first &+= 1
            if starts.flags[start.slot].isOccupied, time >= graph.floor { close(start, within, &match, into: &output) }
        }
        advanceFloor(to: time &+ 1)
        var position = begin
        while position != starts.first {
            let slot = starts.starts[position].slot
            if starts.flags[slot].isOccupied { settle(slot) }
            position &+= 1
        }
    }

    /// Looks whether the group of the first start that is noted still has partial matches.
    @inlinable
    mutating func lookAtFirst(_ latest: Int64, _ time: Int64) {
        let slot = starts.starts[starts.first].slot
        starts.first &+= 1
        starts.flags[slot].isNoted = false
        guard starts.flags[slot].isOccupied else { return }
        advanceFloor(to: latest &+ 1)
        settle(slot)
        if starts.flags[slot].isOccupied {
            // Later than need be by as much as the window at most, and in order.
            starts.append(time, slot)
            starts.flags[slot].isNoted = true
        }
    }

    @inlinable
    mutating func advanceFloor(to floor: Int64) {
        if floor > graph.floor { graph.floor = floor }
    }

    @inlinable
    mutating func settle(_ slot: UInt32) {
        if hasPartialMatch(slot: slot) { return }
        clear(slot: slot)
        starts.release(slot)
    }

    /// Tells about the partial matches of a group that began at a time, and ends them.
    @inlinable
    mutating func close<Output: MatchReceiver>(
        _ start: CompactStarts.Start,
        _ within: Int64,
        _ match: inout FoundMatch<Element>,
        into output: inout Output
    ) where Output.Element == Element {
        advanceFloor(to: start.time)
        let (closing, isTooLate) = start.time.addingReportingOverflow(within)
        let end = Timestamp(nanosecondsSinceEpoch: isTooLate ? .max : closing)
        let most = if case .first(let most) = output.demand { most } else { Int.max }
        // Of all states together: they belong to one moment.
        var count = 0
        var cell: UInt32 = 0
        while cell != cellsPerSlot {
            let content = cells[start.slot &* cellsPerSlot &+ cell]
            let isPending = pendingCells >> UInt64(cell) & 1 == 1
            cell &+= 1
            guard content.root != 0, content.newest >= start.time, isPending || starts.reportsTimeouts else { continue }
            findings[0] = Finding(content.root, -1)
            findingCount = 1
            resetCursor()
            while !isPending || count < most, nextMatch() {
                guard cursor.start == start.time else { continue }
                if isPending, output.demand == .count {
                    count += 1
                    continue
                }
                fillClosed(&match)
                if !isPending {
                    output.receiveTimeout(match, at: end)
                } else {
                    count += 1
                    if !output.receive(match, at: end) { break }
                }
            }
        }
        if output.demand == .count, count > 0 { output.receive(count: count, at: end) }
        findingCount = 0
    }

    @inlinable
    func fillClosed(_ match: inout FoundMatch<Element>) {
        match.entries.removeAll(keepingCapacity: true)
        var index = cursor.length
        while index != 0 {
            index &-= 1
            append(cursor.steps[index], to: &match)
        }
    }
}
