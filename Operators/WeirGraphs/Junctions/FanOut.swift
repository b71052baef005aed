public import WeirCore

extension GraphBuilder {
    @inlinable
    func addFanOut<Element>(
        _ name: String,
        _ count: Int,
        _ make: @escaping @Sendable (StageContext, Wire<Element>, [Wire<Element>]) -> () -> Void
    ) -> FanOut<Element> {
        precondition(count > 0, "addFanOut: count must be positive, but is \(count)")
        let stage = addStage(name, inlets: ["in"], outlets: (1...count).map { "out\($0)" }) { context in
            make(context, context.inlet(0, of: Element.self), (0..<count).map { context.outlet($0, of: Element.self) })
        }
        return FanOut(Inlet(self, stage, 0), (0..<count).map { Outlet(self, stage, $0) })
    }

    /// Sends each element to all outlets; as fast as the slowest of them.
    ///
    /// Continues while one of them is not cancelled.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many outlets; from 1 on.
    /// - Returns: The ports.
    @inlinable
    public func broadcast<Element>(_ type: Element.Type, to count: Int) -> FanOut<Element> {
        addFanOut("broadcast", count) { _, inlet, outlets in
            {
                let open = outlets.filter { !$0.isClosed }
                if open.isEmpty { return inlet.cancel() }
                var demand = open.reduce(Int.max) { min($0, $1.demand) }
                while true {
                    if demand > 0, inlet.available > 0 {
                        let element = inlet.takeFirst()
                        for outlet in open { outlet.push(element) }
                        demand -= 1
                    } else if let watermark = inlet.takeWatermark() {
                        for outlet in open { outlet.advance(to: watermark) }
                    } else {
                        break
                    }
                }
                inlet.passOn(toAll: open, asking: demand)
            }
        }
    }

    /// Sends each element to one of the outlets with demand, in turn where several have it.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many outlets; from 1 on.
    /// - Returns: The ports.
    @inlinable
    public func balance<Element>(_ type: Element.Type, to count: Int) -> FanOut<Element> {
        addFanOut("balance", count) { context, inlet, outlets in
            let turn = context.keep(0)
            return {
                let open = outlets.filter { !$0.isClosed }
                if open.isEmpty { return inlet.cancel() }
                while true {
                    if inlet.available > 0,
                        let place = outlets.indices.map({ (turn.value + $0) % outlets.count })
                            .first(where: { !outlets[$0].isClosed && outlets[$0].demand > 0 })
                    {
                        outlets[place].push(inlet.takeFirst())
                        turn.value = (place + 1) % outlets.count
                    } else if let watermark = inlet.takeWatermark() {
                        for outlet in open { outlet.advance(to: watermark) }
                    } else {
                        break
                    }
                }
                let demand = open.reduce(0) { sum, outlet in
                    let (more, overflow) = sum.addingReportingOverflow(outlet.demand)
                    return overflow ? .max : more
                }
                inlet.passOn(toAll: open, asking: demand)
            }
        }
    }

    /// Sends each element to the outlet that a function names.
    ///
    /// An element whose outlet has no demand blocks the others.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - count: How many outlets; from 1 on.
    ///   - rejected: Where elements go for which there is no outlet, or whose outlet was cancelled.
    ///   - place: Names the outlet, from 0 on.
    /// - Returns: The ports.
    @inlinable
    public func partition<Element>(
        _ type: Element.Type,
        to count: Int,
        rejected: SideOutput<Element> = SideOutput(),
        _ place: @escaping @Sendable (Element) -> Int
    ) -> FanOut<Element> {
        addFanOut("partition", count) { context, inlet, outlets in
            // The outlet of the element that is next.
            let next = context.keep(Int?.none)
            context.keepCount(of: rejected)
            return {
                let open = outlets.filter { !$0.isClosed }
                if open.isEmpty { return inlet.cancel() }
                while true {
                    if let element = inlet.peek {
                        let to = next.value ?? place(element.element)
                        next.value = to
                        if !outlets.indices.contains(to) || outlets[to].isClosed {
                            inlet.drop(1)
                            rejected.send(element.element, at: element.time)
                        } else if outlets[to].demand > 0 {
                            inlet.drop(1)
                            outlets[to].push(element)
                        } else {
                            break
                        }
                        next.value = nil
                    } else if let watermark = inlet.takeWatermark() {
                        for outlet in open { outlet.advance(to: watermark) }
                    } else {
                        break
                    }
                }
                inlet.passOn(toAll: open, asking: open.contains { $0.demand > 0 } ? 1 : 0)
            }
        }
    }

    /// Makes two elements of each, one for each outlet; as fast as the slower of them.
    ///
    /// - Parameter split: Makes the two.
    /// - Returns: The ports.
    @inlinable
    public func unzip<Input, First, Second>(
        _ split: @escaping @Sendable (Input) -> (First, Second)
    ) -> Parting<Input, First, Second> {
        let stage = addStage("unzip", inlets: ["in"], outlets: ["out1", "out2"]) { context in
            let inlet = context.inlet(0, of: Input.self)
            let first = context.outlet(0, of: First.self)
            let second = context.outlet(1, of: Second.self)
            return {
                if first.isClosed, second.isClosed { return inlet.cancel() }
                func demand() -> Int {
                    min(first.isClosed ? .max : first.demand, second.isClosed ? .max : second.demand)
                }
                while true {
                    if demand() > 0, inlet.available > 0 {
                        let element = inlet.takeFirst()
                        let (one, other) = split(element.element)
                        first.push(Timed(one, at: element.time))
                        second.push(Timed(other, at: element.time))
                    } else if let watermark = inlet.takeWatermark() {
                        first.advance(to: watermark)
                        second.advance(to: watermark)
                    } else {
                        break
                    }
                }
                if inlet.isDrained, let completion = inlet.completion {
                    first.finish(completion)
                    second.finish(completion)
                } else {
                    inlet.request(upTo: demand())
                }
            }
        }
        return Parting(Inlet(self, stage, 0), Outlet(self, stage, 0), Outlet(self, stage, 1))
    }
}

extension Wire {
    /// Ends the outlets when this inlet has ended, or requests a number of elements otherwise.
    @inlinable
    func passOn<Output>(toAll outlets: [Wire<Output>], asking demand: Int) {
        if isDrained, let completion {
            for outlet in outlets { outlet.finish(completion) }
        } else {
            request(upTo: demand)
        }
    }
}
