public import WeirCore

extension GraphBuilder {
    /// Makes one element of one of each of two inlets, in order; ends when no more pairs can come.
    ///
    /// An element has the later of the two times.
    ///
    /// - Parameter combine: Makes the element.
    /// - Returns: The ports.
    @inlinable
    public func zip<First, Second, Output>(
        _ combine: @escaping @Sendable (First, Second) -> Output
    ) -> Pairing<First, Second, Output> {
        let stage = addStage("zip", inlets: ["in1", "in2"], outlets: ["out"]) { context in
            let first = context.inlet(0, of: First.self)
            let second = context.inlet(1, of: Second.self)
            let outlet = context.outlet(0, of: Output.self)
            let meeting = context.keep(MeetingWatermarks(2))
            return {
                func end(_ completion: Completion?) {
                    if let completion { outlet.finish(completion) }
                    first.cancel()
                    second.cancel()
                }
                if outlet.isClosed { return end(nil) }
                while true {
                    if let watermark = first.takeWatermark() {
                        if let whole = meeting.value.note(watermark, from: 0) { outlet.advance(to: whole) }
                    } else if let watermark = second.takeWatermark() {
                        if let whole = meeting.value.note(watermark, from: 1) { outlet.advance(to: whole) }
                    } else if outlet.demand > 0, first.available > 0, second.available > 0 {
                        let (one, other) = (first.takeFirst(), second.takeFirst())
                        outlet.push(Timed(combine(one.element, other.element), at: max(one.time, other.time)))
                    } else {
                        break
                    }
                }
                if first.isDrained { return end(first.completion) }
                if second.isDrained { return end(second.completion) }
                first.request(upTo: outlet.demand)
                second.request(upTo: outlet.demand)
            }
        }
        return Pairing(Inlet(self, stage, 0), Inlet(self, stage, 1), Outlet(self, stage, 0))
    }

    /// Makes pairs of one element of each of two inlets, in order; ends when no more pairs can come.
    ///
    /// - Parameters:
    ///   - first: The type of the first inlet's elements.
    ///   - second: The type of the second inlet's elements.
    /// - Returns: The ports.
    @inlinable
    public func zip<First, Second>(
        _ first: First.Type,
        _ second: Second.Type
    ) -> Pairing<First, Second, (First, Second)> {
        zip { (first: First, second: Second) in (first, second) }
    }
}
