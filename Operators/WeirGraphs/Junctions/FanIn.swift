public import WeirCore

/// When a merge ends.
public enum MergeEnding: Sendable, Hashable {
    /// With the last of its inlets.
    case all
    /// With the first inlet, the one at place 0: the others are cancelled. For merges that feed themselves.
    case first
    /// With whichever inlet ends first; the others are cancelled.
    case any
}

extension GraphBuilder {
    @inlinable
    func addFanIn<Input, Output>(
        _ name: String,
        _ count: Int,
        _ make: @escaping @Sendable (StageContext, [Wire<Input>], Wire<Output>) -> () -> Void
    ) -> FanIn<Input, Output> {
        precondition(count > 0, "addFanIn: count must be positive, but is \(count)")
        let stage = addStage(name, inlets: (1...count).map { "in\($0)" }, outlets: ["out"]) { context in
            make(context, (0..<count).map { context.inlet($0, of: Input.self) }, context.outlet(0, of: Output.self))
        }
        return FanIn((0..<count).map { Inlet(self, stage, $0) }, Outlet(self, stage, 0))
    }

    /// Forwards the elements of all inlets, in turn where several have one.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many inlets; from 1 on.
    ///   - ending: When it ends. It fails with the first failure.
    /// - Returns: The ports.
    @inlinable
    public func merge<Element>(
        _ type: Element.Type,
        from count: Int,
        ending: MergeEnding = .all
    ) -> FanIn<Element, Element> {
        addMerge("merge", count, ending) { inlets, turn in
            for offset in inlets.indices {
                let place = (turn + offset) % inlets.count
                if inlets[place].available > 0 { return place }
            }
            return nil
        }
    }

    /// Forwards the elements of the first inlet while it has one, otherwise those of the others in turn.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many inlets; from 1 on. The one at place 0 is preferred.
    ///   - ending: When it ends. It fails with the first failure.
    /// - Returns: The ports.
    @inlinable
    public func mergePreferred<Element>(
        _ type: Element.Type,
        from count: Int,
        ending: MergeEnding = .all
    ) -> FanIn<Element, Element> {
        addMerge("mergePreferred", count, ending) { inlets, turn in
            if inlets[0].available > 0 { return 0 }
            for offset in inlets.indices {
                let place = (turn + offset) % inlets.count
                if inlets[place].available > 0 { return place }
            }
            return nil
        }
    }

    /// Passes elements on in the order of their event times; those of equal times in the order of the inlets.
    ///
    /// Each inlet must be in order itself. An element waits until every other inlet has a later one, or a watermark
    /// that is not earlier, or has ended; so a silent inlet blocks the others.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many inlets; from 1 on.
    /// - Returns: The ports.
    @inlinable
    public func mergeByTime<Element>(_ type: Element.Type, from count: Int) -> FanIn<Element, Element> {
        addFanIn("mergeByTime", count) { context, inlets, outlet in
            let meeting = context.keep(MeetingWatermarks(inlets.count))
            let batch = context.batch
            return {
                if outlet.isClosed { return inlets.cancelAll() }
                while true {
                    if let mark = inlets.indices.first(where: { inlets[$0].peekWatermark != nil }) {
                        if let watermark = inlets[mark].takeWatermark(),
                            let whole = meeting.value.note(watermark, from: mark)
                        {
                            outlet.advance(to: whole)
                        }
                        continue
                    }
                    guard outlet.demand > 0 else { break }
                    var earliest: (place: Int, time: Timestamp)?
                    for place in inlets.indices {
                        guard let time = inlets[place].peek?.time else { continue }
                        if earliest.map({ time < $0.time }) ?? true { earliest = (place, time) }
                    }
                    guard let earliest else { break }
                    let isHeldUp = inlets.indices.contains { place in
                        let inlet = inlets[place]
                        return inlet.count == 0 && !inlet.isDrained && meeting.value.watermarks[place] < earliest.time
                    }
                    if isHeldUp { break }
                    outlet.push(inlets[earliest.place].takeFirst())
                }
                if inlets.settle(outlet, &meeting.value, .all) {
                    for inlet in inlets { inlet.request(upTo: min(batch, outlet.demand)) }
                }
            }
        }
    }

    @inlinable
    func addMerge<Element>(
        _ name: String,
        _ count: Int,
        _ ending: MergeEnding,
        _ choose: @escaping @Sendable (_ inlets: [Wire<Element>], _ turn: Int) -> Int?
    ) -> FanIn<Element, Element> {
        addFanIn(name, count) { context, inlets, outlet in
            let meeting = context.keep(MeetingWatermarks(inlets.count))
            let turn = context.keep(0)
            return {
                if outlet.isClosed { return inlets.cancelAll() }
                while true {
                    for place in inlets.indices {
                        while let watermark = inlets[place].takeWatermark() {
                            if let whole = meeting.value.note(watermark, from: place) { outlet.advance(to: whole) }
                        }
                    }
                    guard outlet.demand > 0, let place = choose(inlets, turn.value) else { break }
                    outlet.push(inlets[place].takeFirst())
                    turn.value = (place + 1) % inlets.count
                }
                if inlets.settle(outlet, &meeting.value, ending) {
                    for inlet in inlets { inlet.request(upTo: outlet.demand) }
                }
            }
        }
    }

    /// Passes on all of the first inlet, then all of the second, and so on.
    ///
    /// Requests elements only from the inlet whose turn it is.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many inlets; from 1 on.
    /// - Returns: The ports.
    @inlinable
    public func concat<Element>(_ type: Element.Type, from count: Int) -> FanIn<Element, Element> {
        addFanIn("concat", count) { context, inlets, outlet in
            let meeting = context.keep(MeetingWatermarks(inlets.count))
            let current = context.keep(0)
            return {
                if outlet.isClosed { return inlets.cancelAll() }
                while current.value < inlets.count {
                    let inlet = inlets[current.value]
                    if outlet.demand > 0, inlet.available > 0 {
                        outlet.push(inlet.takeFirst())
                    } else if let watermark = inlet.takeWatermark() {
                        if let whole = meeting.value.note(watermark, from: current.value) { outlet.advance(to: whole) }
                    } else if inlet.isDrained, case .finished? = inlet.completion {
                        current.value += 1
                    } else {
                        break
                    }
                }
                if inlets.settle(outlet, &meeting.value, .all) { inlets[current.value].request(upTo: outlet.demand) }
            }
        }
    }

    /// Forwards a segment of the first inlet, then one of the second, and so on in a circle; inlets that have ended are
    /// skipped.
    ///
    /// Requests one segment from each inlet ahead of demand.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many inlets; from 1 on.
    ///   - segment: How many elements of one before the next has its turn; from 1 on.
    /// - Returns: The ports.
    @inlinable
    public func interleave<Element>(
        _ type: Element.Type,
        from count: Int,
        segment: Int = 1
    ) -> FanIn<Element, Element> {
        precondition(segment > 0, "interleave: segment must be positive, but is \(segment)")
        return addFanIn("interleave", count) { context, inlets, outlet in
            let meeting = context.keep(MeetingWatermarks(inlets.count))
            let current = context.keep(0)
            let rest = context.keep(segment)
            return {
                if outlet.isClosed { return inlets.cancelAll() }
                while true {
                    let inlet = inlets[current.value]
                    if let watermark = inlet.takeWatermark() {
                        if let whole = meeting.value.note(watermark, from: current.value) { outlet.advance(to: whole) }
                    } else if rest.value == 0 || inlet.isDrained {
                        guard inlets.contains(where: { !$0.isDrained }) else { break }
                        current.value = (current.value + 1) % inlets.count
                        rest.value = segment
                    } else if outlet.demand > 0, inlet.available > 0 {
                        outlet.push(inlet.takeFirst())
                        rest.value -= 1
                    } else {
                        break
                    }
                }
                if inlets.settle(outlet, &meeting.value, .all), outlet.demand > 0 {
                    // All of them: one that is fed by the same broadcast as another must not hold that up.
                    for inlet in inlets { inlet.request(upTo: segment) }
                }
            }
        }
    }
}
