public import WeirCore

extension Flow where Output == Input, Handle == Void {
    /// Ends an island and begins another, which run at the same time.
    ///
    /// A ring connects the two: requested elements wait there, so a slow reader blocks the writer when the ring is
    /// full. The order of elements, watermarks and the completion is kept.
    ///
    /// - Parameter capacity: How many elements may wait; rounded up to a power of two.
    /// - Returns: The flow.
    @inlinable
    public static func async(capacity: Int = 1024) -> Flow {
        precondition(capacity > 0, "async: capacity must be positive, but is \(capacity)")
        return Flow(unchecked: { builder in
            let boundary = GraphBoundary<Input>(capacity: capacity)
            let writer = builder.addStage("boundary", inlets: ["in"]) { context in
                let inlet = context.inlet(0, of: Input.self)
                boundary.setWriter(context.waker())
                let batch = context.batch
                return { boundary.write(inlet, batch: batch) }
            }
            let reader = builder.addStage("boundary", outlets: ["out"]) { context in
                let outlet = context.outlet(0, of: Input.self)
                boundary.setReader(context.waker())
                context.keep(boundary)
                return { boundary.read(outlet) }
            }
            return (FlowPorts(Inlet(builder, writer, 0), Outlet(builder, reader, 0)), ())
        })
    }
}

extension GraphBoundary {
    @inlinable
    func write(_ inlet: Wire<Element>, batch: Int) {
        if isCancelled { return inlet.cancel() }
        guard !inlet.isCancelled else { return }
        var hasSaidSo = false
        while true {
            var written = 0
            let number = inlet.available
            if number > 0 {
                inlet.takeSome(number) { elements, range in
                    for index in range {
                        guard ring.push(.element(elements[index])) else { break }
                        written += 1
                    }
                    return written
                }
            } else if let watermark = inlet.peekWatermark {
                if ring.push(.watermark(watermark)) {
                    written = 1
                    _ = inlet.takeWatermark()
                }
            } else {
                break
            }
            if written > 0 {
                hasWritten()
                hasSaidSo = false
            } else if hasSaidSo {
                return
            } else {
                writerWillWait()
                hasSaidSo = true
            }
        }
        if inlet.isDrained, let completion = inlet.completion {
            finish(completion)
            inlet.cancel()
        } else {
            // The free room of the ring, at most a batch.
            inlet.request(upTo: max(1, min(batch, capacity - ring.count)))
        }
    }

    /// Forwards the requested elements, and ends the outlet after the last.
    @inlinable
    func read(_ outlet: Wire<Element>) {
        if let end = readSome(outlet) { outlet.finish(end) }
    }

    /// Forwards the requested elements; returns the completion when everything before it was sent.
    @inlinable
    func readSome(_ outlet: Wire<Element>) -> Completion? {
        if outlet.isCancelled {
            cancel()
            return nil
        }
        var hasSaidSo = false
        while !outlet.isClosed {
            let end = end
            lookForLateWatermark()
            guard outlet.demand > 0 else {
                guard reading.value.held == nil else { return nil }
                guard ring.count == 0 else {
                    // Watermarks between the last element and the end need no demand, and nothing is written any more.
                    guard let end else { return nil }
                    switch ring.pop() {
                    case .element(let element)?: reading.value.held = element
                    case .watermark(let mark)?:
                        reading.value.late?.behind -= 1
                        send(mark, on: outlet)
                    case nil: return end
                    }
                    continue
                }
                guard sendLateWatermark(on: outlet) else { return end }
                // There may be a later one.
                continue
            }
            var watermark: Timestamp?
            var taken = 0
            if let held = reading.value.held.take() {
                outlet.push(held)
                taken = 1
            }
            outlet.push(upTo: min(outlet.demand, capacity)) { output in
                while !output.isFull, let crossing = ring.pop() {
                    taken += 1
                    guard case .element(let element) = crossing else {
                        if case .watermark(let mark) = crossing { watermark = mark }
                        break
                    }
                    output.append(element)
                }
            }
            if let watermark { send(watermark, on: outlet) }
            if taken > 0 {
                reading.value.late?.behind -= taken
                if let late = reading.value.late, late.behind <= 0 { _ = sendLateWatermark(on: outlet) }
                hasRead()
                hasSaidSo = false
            } else if sendLateWatermark(on: outlet) {
                hasSaidSo = false
            } else if let end {
                return end
            } else if hasSaidSo {
                return nil
            } else {
                readerWillWait()
                hasSaidSo = true
            }
        }
        return nil
    }

    /// Sends a watermark that had found no room; false where there is none.
    @inlinable
    func sendLateWatermark(on outlet: Wire<Element>) -> Bool {
        guard let late = reading.value.late else { return false }
        reading.value.late = nil
        send(late.watermark, on: outlet)
        return true
    }

    @inlinable
    func send(_ watermark: Timestamp, on outlet: Wire<Element>) {
        guard watermark > reading.value.last else { return }
        reading.value.last = watermark
        outlet.advance(to: watermark)
    }
}
