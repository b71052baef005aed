import WeirCore
import WeirFlow
import WeirTesting

/// What a `flatMap` is to do, by lists that are searched at each step: input 0 is the outer stream, and the key of an
/// element says which of the others it becomes.
struct FlatMapModel {
    struct Inner {
        let element: Keyed
        var bound: Timestamp
        // Those of one key are told apart.
        let number: Int
    }

    let strategy: FlatteningStrategy
    let width: Int
    let policy: LimitPolicy
    let limit: Int
    private var running: [Inner] = []
    private var waiting: [Keyed] = []
    private var toAttach: [Int] = []
    // A subject that is telling its sinks something attaches others afterwards.
    private var tellingKey: Int?
    private var toAttachLater: [Int] = []
    private var lastNumber = 0
    private var outerWatermark: Timestamp? = .distantPast
    private var innerWatermarks = Array(repeating: Timestamp.distantPast, count: 3)
    private var innerEnds: [Completion?] = [nil, nil, nil]
    private var watermark = Timestamp.distantPast
    private var isOver = false
    private(set) var outcome = Outcome<Keyed>()

    init(_ strategy: FlatteningStrategy, _ policy: LimitPolicy, limit: Int) {
        self.strategy = strategy
        if case .merge(let limit) = strategy { width = limit } else { width = 1 }
        self.policy = policy
        self.limit = limit
    }

    mutating func take(_ arrival: Arrival) {
        if arrival.input == 0 { takeOuter(arrival.signal) } else { takeInner(arrival.input - 1, arrival.signal) }
    }

    private mutating func takeOuter(_ signal: StreamSignal<Keyed>) {
        guard !isOver else { return }
        switch signal {
        case .element(let element, _): takeOuter(element)
        case .watermark(let mark): outerWatermark = mark
        case .completion(.finished):
            outerWatermark = nil
            if running.isEmpty { end(.finished) }
        case .completion(let completion): end(completion)
        }
        settle()
        attach()
    }

    private mutating func takeOuter(_ element: Keyed) {
        if running.count < width { return start(element) }
        switch strategy {
        case .latest:
            outcome.aside += running.map(\.element)
            running = []
            start(element)
        case .first: outcome.aside.append(element)
        case .merge, .concat:
            if waiting.count < limit { return waiting.append(element) }
            if policy == .dropOldest, limit > 0 {
                outcome.aside.append(waiting.removeFirst())
                waiting.append(element)
            } else {
                outcome.aside.append(element)
                if policy == .fail { end(.failed(FlowError.overflow(limit: limit))) }
            }
        }
    }

    private mutating func takeInner(_ key: Int, _ signal: StreamSignal<Keyed>) {
        switch signal {
        case .element: break
        case .watermark(let mark): innerWatermarks[key] = mark
        case .completion(let completion): innerEnds[key] = completion
        }
        // Those that are attached now get what comes next.
        tellingKey = key
        for number in running.filter({ $0.element.key == key }).map(\.number) {
            guard !isOver, let index = running.firstIndex(where: { $0.number == number }) else { continue }
            switch signal {
            case .element(let element, let time): outcome.emit(element, time)
            case .watermark(let mark):
                running[index].bound = max(running[index].bound, mark)
                settle()
            case .completion(let completion): endInner(number, completion)
            }
            attach()
        }
        tellingKey = nil
        toAttach += toAttachLater
        toAttachLater = []
        attach()
    }

    private mutating func start(_ element: Keyed) {
        lastNumber += 1
        running.append(Inner(element: element, bound: element.timestamp, number: lastNumber))
        toAttach.append(lastNumber)
    }

    private mutating func attach() {
        while !toAttach.isEmpty {
            let number = toAttach.removeFirst()
            guard !isOver, let index = running.firstIndex(where: { $0.number == number }) else { continue }
            let key = running[index].element.key
            if key == tellingKey {
                toAttachLater.append(number)
                continue
            }
            if let completion = innerEnds[key] {
                endInner(number, completion)
            } else {
                running[index].bound = max(running[index].bound, innerWatermarks[key])
                settle()
            }
        }
    }

    private mutating func endInner(_ number: Int, _ completion: Completion) {
        guard completion.isFinished else { return end(completion) }
        running.removeAll { $0.number == number }
        if !waiting.isEmpty {
            start(waiting.removeFirst())
        } else if running.isEmpty, outerWatermark == nil {
            return end(.finished)
        }
        settle()
    }

    private mutating func end(_ completion: Completion) {
        guard !isOver else { return }
        isOver = true
        outcome.signals.append(.completion(completion))
    }

    private mutating func settle() {
        guard !isOver else { return }
        let times = running.map(\.bound) + waiting.map(\.timestamp) + [outerWatermark].compactMap { $0 }
        guard let earliest = times.min(), earliest > watermark else { return }
        watermark = earliest
        outcome.signals.append(.watermark(earliest))
    }
}
