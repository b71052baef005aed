public import WeirCore

/// What a buffer does with an element that finds it full.
///
/// Not ``/WeirCore/OverflowPolicy``: a buffer has two more choices, and is on one thread with what fills it.
public enum BufferOverflow: Sendable, Hashable {
    /// Asks for no more until there is room: nothing is lost, and the source waits.
    case block
    /// Drops the oldest element that waits.
    case dropOldest
    /// Drops the newest element that waits, and keeps the new one.
    case dropLast
    /// Drops all that wait.
    case dropAll
    /// Drops the new element.
    case dropNewest
    /// Fails with ``GraphError/overflow(capacity:)``.
    case fail
}

extension Flow where Output == Input, Handle == Void {
    /// Buffers elements ahead of demand, so that the source need not wait for the sink.
    ///
    /// Requests elements without demand: with ``BufferOverflow/block`` as many as there is room for, otherwise
    /// always. Dropped elements are counted and offered on `dropped`; watermarks are not dropped, and of several
    /// without an element between them the last one stays.
    ///
    /// - Parameters:
    ///   - capacity: How many elements may wait; from 1 on.
    ///   - policy: What happens to one that finds all places taken.
    ///   - dropped: Where dropped elements go.
    /// - Returns: The flow.
    @inlinable
    public static func buffer(
        _ capacity: Int,
        overflowPolicy policy: BufferOverflow = .block,
        dropped: SideOutput<Input> = SideOutput()
    ) -> Flow {
        precondition(capacity > 0, "buffer: capacity must be positive, but is \(capacity)")
        return Flow(unchecked: { builder in
            let ports = builder.addLinear("buffer") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                let kept = context.keep(BufferQueue<Input>(capacity: capacity))
                context.state.addField { state throws(StateError) in state.require(capacity) }
                context.keepCount(of: dropped)
                let batch = context.batch
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        kept.value.pour(into: outlet)
                        if let watermark = inlet.takeWatermark() {
                            kept.value.append(watermark)
                        } else if inlet.available == 0 || (policy == .block && kept.value.isFull) {
                            break
                        } else {
                            let element = inlet.takeFirst()
                            if kept.value.isFull {
                                switch policy {
                                case .dropOldest:
                                    if let old = kept.value.pop() { dropped.send(old.element, at: old.time) }
                                case .dropLast:
                                    if let old = kept.value.popLast() { dropped.send(old.element, at: old.time) }
                                case .dropAll:
                                    while let old = kept.value.pop() { dropped.send(old.element, at: old.time) }
                                case .dropNewest, .block:
                                    dropped.send(element.element, at: element.time)
                                    continue
                                case .fail:
                                    outlet.finish(.failed(GraphError.overflow(capacity: capacity)))
                                    return inlet.cancel()
                                }
                            }
                            kept.value.append(element)
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion {
                        // `finish` follows when the rest has been requested.
                        if kept.value.isEmpty { outlet.finish(completion) }
                    } else if policy == .block {
                        let room = min(batch, capacity - kept.value.count)
                        inlet.request(upTo: min(batch, min(batch, outlet.demand) + room))
                    } else {
                        inlet.request(upTo: batch)
                    }
                }
            }
            return (ports, ())
        })
    }

    /// Merges elements that no demand waits for: a slow sink gets fewer, and the source never waits.
    ///
    /// - Parameter merge: Makes one element of the one that waits and a new one; the result has the new one's time.
    /// - Returns: The flow.
    @inlinable
    public static func conflate(_ merge: @escaping @Sendable (Input, Input) -> Input) -> Flow {
        gathering("conflate", start: { $0 }, add: { $0 = merge($0, $1) }, isFull: { _ in false })
    }

    /// Makes more of the last element while none comes: a fast sink need not wait for the source.
    ///
    /// Sends each element, and then on demand the results of `extrapolate` for it, until the next element arrives. After a
    /// restart, `extrapolate` is called again for the last element, and has to give the same.
    ///
    /// - Parameter extrapolate: Makes more elements of one; they have its time.
    /// - Returns: The flow.
    @inlinable
    public static func expand<More: Sequence>(_ extrapolate: @escaping @Sendable (Input) -> More) -> Flow
    where More.Element == Input, More.Iterator: SendableMetatype {
        Flow(unchecked: { builder in
            let ports = builder.addLinear("expand") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                // The last element, and how many were made of it; after a restart they are made again.
                let current = context.keep(Timed<Input>?.none)
                let madeCount = context.keep(0)
                var more: More.Iterator?
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        if outlet.demand > 0, inlet.available > 0 {
                            let element = inlet.takeFirst()
                            outlet.push(element)
                            current.value = element
                            madeCount.value = 0
                            more = extrapolate(element.element).makeIterator()
                        } else if let watermark = inlet.takeWatermark() {
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion { return outlet.finish(completion) }
                    inlet.request(upTo: 1)
                    guard let source = current.value else { return }
                    // One at a time, so that a new element is seen between two of these.
                    if outlet.demand > 0 {
                        var iterator = more.take() ?? extrapolate(source.element).makeIterator(after: madeCount.value)
                        if let element = iterator.next() {
                            outlet.push(Timed(element, at: source.time))
                            madeCount.value += 1
                            more = iterator
                            context.ready.add(context.index)
                        } else {
                            current.value = nil
                        }
                    }
                }
            }
            return (ports, ())
        })
    }

    /// Limits the rate of elements, and makes the source wait.
    ///
    /// A bucket that holds `burst` tokens and gets `count` in each interval, evenly: an element takes one.
    ///
    /// - Parameters:
    ///   - count: How many elements in an interval; from 1 on.
    ///   - interval: The interval, of the time of the run's clock; positive.
    ///   - burst: How many elements may pass at once after a pause; `count` by default.
    /// - Returns: The flow.
    public static func throttle(_ count: Int, per interval: Duration, burst: Int? = nil) -> Flow {
        precondition(count > 0, "throttle: count must be positive, but is \(count)")
        precondition(interval > .zero, "throttle: interval must be positive, but is \(interval)")
        let burst = burst ?? count
        precondition(burst > 0, "throttle: burst must be positive, but is \(burst)")
        return Flow(unchecked: { builder in
            let ports = builder.addLinear("throttle") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                // In nanoseconds of time: an element costs `cost`, the bucket holds `burst` times that.
                let cost = max(1, interval.wholeNanoseconds / Int64(count))
                let most = cost.multipliedReportingOverflow(by: Int64(burst))
                let full = most.overflow ? Int64.max : most.partialValue
                let saved = context.keep(full)
                let last = context.keep(Timestamp?.none)
                var alarm: Timestamp?
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    let now = context.settings.clock.now()
                    if let last = last.value {
                        let gain = (now - last).wholeNanoseconds
                        saved.value = gain >= full - saved.value ? full : saved.value + max(0, gain)
                    }
                    last.value = now
                    while true {
                        if outlet.demand > 0, inlet.available > 0, saved.value >= cost {
                            saved.value -= cost
                            outlet.push(inlet.takeFirst())
                        } else if let watermark = inlet.takeWatermark() {
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    if inlet.available > 0, outlet.demand > 0 {
                        let due = now.shifted(byNanoseconds: cost - saved.value)
                        guard alarm.map({ $0 <= now || due < $0 }) ?? true else { return }
                        alarm = due
                        context.wake(at: due)
                    } else {
                        inlet.passOnOne(to: outlet)
                    }
                }
            }
            return (ports, ())
        })
    }
}

extension Sequence {
    /// An iterator that has given a number of elements already.
    @inlinable
    func makeIterator(after count: Int) -> Iterator {
        var iterator = makeIterator()
        for _ in 0..<count { _ = iterator.next() }
        return iterator
    }
}

extension Wire {
    /// Ends the outlet when this inlet has ended, or forwards demand for one element otherwise.
    @inlinable
    func passOnOne<Output>(to outlet: Wire<Output>) {
        if isDrained, let completion {
            outlet.finish(completion)
        } else if outlet.demand > 0 {
            request(upTo: 1)
        }
    }
}

extension Flow where Output == [Input], Handle == Void {
    /// Collects elements that no demand waits for: a slow sink gets them in one array.
    ///
    /// - Parameter limit: How many elements may be in one; when it is full, the source waits. From 1 on.
    /// - Returns: The flow; a batch has the time of its last element.
    @inlinable
    public static func batch(limit: Int) -> Flow {
        precondition(limit > 0, "batch: limit must be positive, but is \(limit)")
        return gathering("batch", start: { [$0] }, add: { $0.append($1) }, isFull: { $0.count >= limit })
    }
}

extension Flow where Handle == Void {
    /// Holds one value that combines elements until there is demand.
    @inlinable
    static func gathering(
        _ name: String,
        start: @escaping @Sendable (Input) -> Output,
        add: @escaping @Sendable (inout Output, Input) -> Void,
        isFull: @escaping @Sendable (Output) -> Bool
    ) -> Flow {
        Flow(unchecked: { builder in
            let ports = builder.addLinear(name) { (context, inlet: Wire<Input>, outlet: Wire<Output>) in
                let gathered = context.keep(Timed<Output>?.none)
                // Follows the collected elements, so that none waits for it.
                let watermark = context.keep(Timestamp?.none)
                let batch = context.batch
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        if inlet.available > 0, gathered.value.map({ !isFull($0.element) }) ?? true {
                            let element = inlet.takeFirst()
                            // Moved out of the property: a second reference would copy the collected elements.
                            if var value = gathered.value.take() {
                                add(&value.element, element.element)
                                value.time = element.time
                                gathered.value = value
                            } else {
                                gathered.value = Timed(start(element.element), at: element.time)
                            }
                        } else if outlet.demand > 0, let value = gathered.value {
                            gathered.value = nil
                            outlet.push(value)
                        } else if let next = inlet.takeWatermark() {
                            watermark.value = max(watermark.value ?? next, next)
                        } else if gathered.value == nil, let passed = watermark.value {
                            watermark.value = nil
                            outlet.advance(to: passed)
                        } else {
                            break
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion {
                        if gathered.value == nil { outlet.finish(completion) }
                    } else if gathered.value.map({ !isFull($0.element) }) ?? true {
                        inlet.request(upTo: batch)
                    }
                }
            }
            return (ports, ())
        })
    }
}
