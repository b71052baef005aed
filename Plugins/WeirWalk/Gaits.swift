internal import WeirCore
internal import WeirRecords

extension EventStream<Movement> {
    /// Tells for each movement whether the person walks.
    ///
    /// Joins each location with the latest rise of the step count, and each rise with the latest location, where the two
    /// are at most the rule's interval apart. The count rises when an update has more steps than the one before it.
    ///
    /// Emits a gait for every movement that can be judged, which says whether it is a change. Remembers the latest rise and location, and the positions of the speed's window. Watermarks
    /// and the completion pass.
    func gaits(_ rule: WalkRule, _ drawing: WalkDrawing? = nil) -> Gaits<Self> {
        Gaits(upstream: self, rule: rule, drawing: drawing)
    }
}

/// The gaits of one person; made by `gaits`.
struct Gaits<Upstream: EventStream<Movement>>: EventStream {
    typealias Element = Gait

    let upstream: Upstream
    let rule: WalkRule
    let drawing: WalkDrawing?

    @discardableResult
    func attach<S: Sink>(_ sink: consuming S) -> Subscription where S.Input == Gait {
        upstream.attach(GaitSink(rule: rule, drawing: drawing, downstream: sink))
    }
}

extension Gaits: GroupableStream where Upstream: GroupableStream {}

/// Judges the movements of one person.
struct GaitSink<Downstream: Sink<Gait>>: Sink {
    typealias Input = Movement

    /// A rise of the step count.
    private struct Rise: Sendable {
        let time: Timestamp
        let steps: Double
    }

    private struct Speed: Sendable {
        let time: Timestamp
        let value: Double
    }

    private let rule: WalkRule
    private let drawing: WalkDrawing?
    private var group: Symbol?
    private var steps: Double?
    private var rise: Rise?
    private var speed: Speed?
    private var estimate: SpeedEstimate
    private var wasWalking: Bool?
    private var downstream: Downstream

    init(rule: WalkRule, drawing: WalkDrawing?, downstream: consuming Downstream) {
        self.rule = rule
        self.drawing = drawing
        self.downstream = downstream
        estimate = SpeedEstimate(window: rule.speedWindow)
    }

    mutating func receive(_ movement: borrowing Movement, at time: Timestamp) {
        if group != movement.group { begin(movement.group) }
        var isNew = false
        if let count = movement.steps {
            // A count that falls begins anew, as after a restart of the device: no rise.
            if let before = steps, count > before {
                rise = Rise(time: time, steps: count)
                isNew = true
            }
            steps = count
        }
        if let location = movement.location, let value = speed(of: location, at: time) {
            speed = Speed(time: time, value: value)
            isNew = true
        }
        guard isNew, let speed, time - speed.time <= rule.interval else { return }
        emit(speed.value, movement.group, at: time)
    }

    /// Forgets the person that was judged before, whose place the group has taken.
    private mutating func begin(_ group: Symbol) {
        self.group = group
        (steps, rise, speed, wasWalking) = (nil, nil, nil, nil)
        estimate = SpeedEstimate(window: rule.speedWindow)
    }

    private mutating func speed(of location: Movement.Location, at time: Timestamp) -> Double? {
        let estimated = location.position.flatMap { estimate.speed(at: $0, time) }
        return location.speed ?? estimated
    }

    private mutating func emit(_ speed: Double, _ group: Symbol, at time: Timestamp) {
        let interval = rise.map { time - $0.time }
        let isConfirmed = !rule.needsSteps || interval.map { $0 <= rule.interval } ?? false
        let reason: Gait.Reason =
            if speed <= rule.slowest { .slow } else if speed >= rule.fastest { .fast } else if isConfirmed {
                .walking
            } else { .noSteps }
        let isWalking = reason == .walking
        defer { wasWalking = isWalking }
        let gait = Gait(
            timestamp: time,
            reason: reason,
            steps: rise?.steps,
            speed: speed,
            interval: interval,
            isChange: wasWalking != isWalking,
            group: group
        )
        drawing?.draw(gait, isChange: gait.isChange)
        downstream.receive(gait, at: time)
    }

    mutating func advance(to watermark: Timestamp) {
        downstream.advance(to: watermark)
    }

    mutating func finish(_ completion: Completion) {
        downstream.finish(completion)
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.begin("gaits")
        try state.exchange(&group)
        try state.exchange(&steps)
        try state.exchange(&rise)
        try state.exchange(&speed)
        try estimate.exchangeState(&state)
        try state.exchange(&wasWalking)
        try downstream.exchangeState(&state)
    }
}
