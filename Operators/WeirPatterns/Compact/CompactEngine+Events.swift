public import WeirCore

/// What an event does to the partial matches of its group.
extension CompactEngine {
    /// Takes an event.
    ///
    /// - Parameters:
    ///   - program: What events with its truth values do.
    ///   - element: The event, at the time that ``advance(to:)`` was given.
    ///   - slot: Its group.
    /// - Returns: Whether it completes matches.
    @inlinable
    mutating func receive(_ program: CompactProgram, _ element: borrowing Element, slot: UInt32) -> Bool {
        findingCount = 0
        if slot >= slotCount { addSlots(through: slot) }
        let needed = UInt32(truncatingIfNeeded: program.nodeCount)
        if graph.endOfNodes &+ needed > graph.endOfRoom, !makeRoom(for: needed) { return false }
        let base = slot &* cellsPerSlot
        let firstNew = graph.endOfNodes
        var event: UInt32?
        var index = program.first
        while index != program.end {
            let source = programs.instructions[index]
            index &+= 1
            let end = index &+ source.number
            let cell: CompactCell
            if source.operation == .fromStart {
                cell = CompactCell(newest: time, root: 0, count: 0)
            } else {
                let position = base &+ UInt32(source.cell)
                cell = cells[position]
                if cell.root == 0 {
                    index = end
                    continue
                }
                let isOver = cell.newest < graph.floor
                if isOver || source.operation == .from { cells[position] = .empty }
                if isOver {
                    index = end
                    continue
                }
            }
            var taken: UInt32 = 0
            while index != end {
                let instruction = programs.instructions[index]
                index &+= 1
                switch instruction.operation {
                case .take:
                    let position: UInt32
                    if let event {
                        position = event
                    } else {
                        position = graph.append(element, time)
                        event = position
                    }
                    taken = graph.step(cell.root, cell.newest, position, instruction.number)
                    put(taken, cell.newest, 1, base, instruction)
                case .share:
                    put(taken, cell.newest, 1, base, instruction)
                case .move:
                    put(cell.root, cell.newest, cell.count, base, instruction)
                case .match:
                    find(cell.root, -1)
                case .matchTaking:
                    find(cell.root, Int32(truncatingIfNeeded: instruction.number))
                case .from, .fromKeeping, .fromStart:
                    break
                }
            }
        }
        if waitingCount != 0 { putWaiting() }
        if graph.endOfNodes != firstNew { graph.noteTime(time, since: firstNew) }
        return findingCount != 0
    }

    @inlinable
    mutating func put(
        _ node: UInt32,
        _ newest: Int64,
        _ count: UInt32,
        _ base: UInt32,
        _ instruction: CompactInstruction
    ) {
        let position = base &+ UInt32(instruction.cell)
        if instruction.isDeferred {
            wait(Deferred(node, newest, count, position))
        } else {
            cells[position] = graph.insert(node, newest, count, into: cells[position])
        }
    }

    @inlinable
    @inline(never)
    mutating func wait(_ deferred: Deferred) {
        if Int(waitingCount) == waiting.capacity {
            waiting.resize(to: waiting.capacity * 2, keeping: 0, to: waitingCount, filler: deferred)
        }
        waiting[waitingCount] = deferred
        waitingCount += 1
    }

    @inlinable
    @inline(never)
    mutating func putWaiting() {
        for index in 0..<waitingCount {
            let item = waiting[index]
            cells[item.cell] = graph.insert(item.node, item.newest, item.count, into: cells[item.cell])
        }
        waitingCount = 0
    }

    @inlinable
    mutating func find(_ root: UInt32, _ capture: Int32) {
        if Int(findingCount) == findings.capacity { growFindings() }
        findings[findingCount] = Finding(root, capture)
        findingCount &+= 1
    }

    @inlinable
    @inline(never)
    mutating func growFindings() {
        findings.resize(to: findings.capacity * 2, keeping: 0, to: findingCount, filler: Finding(0, -1))
    }
}
