public import WeirCore

/// Remembers the elements of the open windows.
@frozen
@usableFromInline
struct WindowedJoinState<Rule: WindowRule, Key: Hashable & Sendable, Downstream: Sink>: JunctionState
where Downstream.Input == Rule.Output {
    /// The elements of a key.
    @frozen
    @usableFromInline
    struct Group: Sendable {
        @usableFromInline var rights: [(element: Rule.Right, time: Timestamp)] = []
        @usableFromInline var hasLeft = false

        @inlinable
        init() {}
    }

    /// The elements of a window.
    @frozen
    @usableFromInline
    struct Window: Sendable {
        @usableFromInline let begin: Timestamp
        @usableFromInline var groups: [Key: Group] = [:]
        @usableFromInline var lefts: [(key: Key, element: Rule.Left, time: Timestamp, isFirst: Bool)] = []
        // Only the order of arrival, for those without a partner.
        @usableFromInline var rights: [(key: Key, element: Rule.Right, time: Timestamp)] = []

        @inlinable
        init(_ begin: Timestamp) {
            self.begin = begin
        }
    }

    @usableFromInline let rule: Rule
    @usableFromInline let size: Int64
    @usableFromInline let limit: Int
    @usableFromInline let leftKey: @Sendable (Rule.Left) -> Key
    @usableFromInline let rightKey: @Sendable (Rule.Right) -> Key
    @usableFromInline let late: SideOutput<Either<Rule.Left, Rule.Right>>
    @usableFromInline let refused: SideOutput<Either<Rule.Left, Rule.Right>>
    @usableFromInline let stalls: SideOutput<WatermarkStall>
    // By their beginnings; there are few.
    @usableFromInline var windows: [Window] = []
    @usableFromInline var count = 0
    // Where the oldest window that can still be open begins.
    @usableFromInline var open = Timestamp.distantPast
    @usableFromInline var downstream: Downstream

    @inlinable
    init(
        _ rule: Rule,
        _ size: Int64,
        _ limit: Int,
        _ leftKey: @escaping @Sendable (Rule.Left) -> Key,
        _ rightKey: @escaping @Sendable (Rule.Right) -> Key,
        _ late: SideOutput<Either<Rule.Left, Rule.Right>>,
        _ refused: SideOutput<Either<Rule.Left, Rule.Right>>,
        _ stalls: SideOutput<WatermarkStall>,
        _ downstream: consuming Downstream
    ) {
        self.rule = rule
        self.size = size
        self.limit = limit
        self.leftKey = leftKey
        self.rightKey = rightKey
        self.late = late
        self.refused = refused
        self.stalls = stalls
        self.downstream = downstream
    }

    @inlinable
    mutating func receive(_ signal: Either<Rule.Left, Rule.Right>, from input: Int, at time: Timestamp) {
        guard time >= open else {
            late.send(signal, at: time)
            return
        }
        guard count < limit else {
            refused.send(signal, at: time)
            return
        }
        count += 1
        let index = windowIndex(time.roundedDown(toNanoseconds: size))
        if open == .distantPast, windows.count > 2 { noteStall(time) }
        switch signal {
        case .first(let left):
            let key = leftKey(left)
            let isFirst = windows[index].groups[key, default: Group()].addLeft()
            windows[index].lefts.append((key, left, time, isFirst))
        case .second(let right):
            let key = rightKey(right)
            windows[index].groups[key, default: Group()].rights.append((right, time))
            windows[index].rights.append((key, right, time))
        }
    }

    /// Tells that no watermark has come, though a third window is open.
    @inlinable
    @inline(never)
    func noteStall(_ now: Timestamp) {
        guard let first = windows.first else { return }
        stalls.sendFirst(WatermarkStall(since: first.begin.shifted(byNanoseconds: size), until: now), at: now)
    }

    @inlinable
    mutating func advance(to watermark: Timestamp) {
        let begin = watermark.roundedDown(toNanoseconds: size)
        guard begin > open else { return }
        open = begin
        var closed = 0
        while closed < windows.count, windows[closed].begin < begin {
            close(windows[closed])
            closed += 1
        }
        // All at once: there are very many after a watermark that was held back.
        windows.removeFirst(closed)
        downstream.advance(to: begin)
    }

    @inlinable
    mutating func finish(_ completion: Completion) {
        if case .finished = completion {
            for window in windows { close(window) }
        }
        windows = []
        count = 0
        downstream.finish(completion)
    }

    @usableFromInline
    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("joinInWindows")
        state.require(size)
        try state.exchange(late)
        try state.exchange(refused)
        try state.exchange(stalls)
        try state.exchange(&windows)
        try state.exchange(&count)
        try state.exchange(&open)
        try downstream.exchangeState(&state)
    }

    @inlinable
    mutating func windowIndex(_ begin: Timestamp) -> Int {
        var index = windows.count
        while index > 0, windows[index - 1].begin >= begin {
            if windows[index - 1].begin == begin { return index - 1 }
            index -= 1
        }
        windows.insert(Window(begin), at: index)
        return index
    }

    @inlinable
    mutating func close(_ window: Window) {
        count -= window.lefts.count + window.rights.count
        for left in window.lefts {
            rule.close((left.element, left.time), isFirst: left.isFirst, with: window.groups[left.key]?.rights ?? []) {
                downstream.receive($0, at: $1)
            }
        }
        for right in window.rights where window.groups[right.key]?.hasLeft != true {
            if let output = rule.close(alone: right.element) { downstream.receive(output, at: right.time) }
        }
    }
}

extension WindowedJoinState.Group {
    /// Adds an element of the first stream and returns whether it is the first of its key.
    @inlinable
    mutating func addLeft() -> Bool {
        defer { hasLeft = true }
        return !hasLeft
    }
}
