public import WeirCore

/// What a buffer does with an element that finds it full.
public enum BufferOverflow: Sendable, Hashable {
    /// Asks for no more until there is room: nothing is lost, and the source waits.
    case backpressure
    /// Drops the oldest element that waits.
    case dropHead
    /// Drops the newest element that waits.
    case dropTail
    /// Drops all that wait.
    case dropBuffer
    /// Drops the new element.
    case dropNew
    /// Fails with ``GraphError/overflow(capacity:)``.
    case fail
}

extension Flow where Output == Input, Handle == Void {
    /// Holds elements for which nobody has asked yet, so that the source need not wait for the sink.
    ///
    /// Asks for elements without being asked itself: with ``BufferOverflow/backpressure`` for as many as there is room for,
    /// otherwise always. What is dropped is counted and offered on `dropped`; watermarks are not dropped, and of several
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
        onOverflow policy: BufferOverflow = .backpressure,
        dropped: SideOutput<Input> = SideOutput()
    ) -> Flow {
        precondition(capacity > 0, "a buffer has to hold an element, not \(capacity)")
        return Flow(unchecked: { builder in
            let ports = builder.addLinear("buffer") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                var queue = BufferQueue<Input>(capacity: capacity)
                let batch = context.batch
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        queue.pour(into: outlet)
                        if let watermark = inlet.takeWatermark() {
                            queue.append(watermark)
                        } else if inlet.available == 0 || (policy == .backpressure && queue.isFull) {
                            break
                        } else {
                            let element = inlet.takeFirst()
                            if queue.isFull {
                                switch policy {
                                case .dropHead:
                                    if let old = queue.pop() { dropped.send(old.element, at: old.time) }
                                case .dropTail:
                                    if let old = queue.popLast() { dropped.send(old.element, at: old.time) }
                                case .dropBuffer:
                                    while let old = queue.pop() { dropped.send(old.element, at: old.time) }
                                case .dropNew, .backpressure:
                                    dropped.send(element.element, at: element.time)
                                    continue
                                case .fail:
                                    outlet.finish(.failed(GraphError.overflow(capacity: capacity)))
                                    return inlet.cancel()
                                }
                            }
                            queue.append(element)
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion {
                        // Not `finish` before the rest is asked for.
                        if queue.isEmpty { outlet.finish(completion) }
                    } else if policy == .backpressure {
                        inlet.request(upTo: min(batch, outlet.demand + capacity - queue.count))
                    } else {
                        inlet.request(upTo: batch)
                    }
                }
            }
            return (ports, ())
        })
    }

    /// Melts elements together for which nobody has asked yet: a slow sink gets fewer, and the source never waits.
    ///
    /// - Parameter merge: Makes one element of the one that waits and a new one; the result has the new one's time.
    /// - Returns: The flow.
    @inlinable
    public static func conflate(_ merge: @escaping @Sendable (Input, Input) -> Input) -> Flow {
        gathering("conflate", start: { $0 }, add: { $0 = merge($0, $1) }, isFull: { _ in false })
    }

    /// Makes more of the last element while none comes: a fast sink need not wait for the source.
    ///
    /// Sends each element, and then what `extrapolate` makes of it, as it is asked for, until the next element is there.
    ///
    /// - Parameter extrapolate: Makes more elements of one; they have its time.
    /// - Returns: The flow.
    @inlinable
    public static func expand<More: Sequence>(_ extrapolate: @escaping @Sendable (Input) -> More) -> Flow
    where More.Element == Input, More.Iterator: SendableMetatype {
        Flow(unchecked: { builder in
            let ports = builder.addLinear("expand") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                var more: More.Iterator?
                var time = Timestamp.distantPast
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        if outlet.demand > 0, inlet.available > 0 {
                            let element = inlet.takeFirst()
                            time = element.time
                            outlet.push(element)
                            more = extrapolate(element.element).makeIterator()
                        } else if let watermark = inlet.takeWatermark() {
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion { return outlet.finish(completion) }
                    inlet.request(upTo: 1)
                    // One at a time, so that a new element is seen between two of these.
                    if outlet.demand > 0, var iterator = more {
                        more = nil
                        if let element = iterator.next() {
                            outlet.push(Timed(element, at: time))
                            more = iterator
                            context.ready.add(context.index)
                        }
                    }
                }
            }
            return (ports, ())
        })
    }

    /// Lets through so many elements in a time, and makes the source wait for the rest.
    ///
    /// A bucket that holds `burst` tokens and gets `count` in each interval, evenly: an element takes one.
    ///
    /// - Parameters:
    ///   - count: How many elements in an interval; from 1 on.
    ///   - interval: The interval, of the time of the run's clock; positive.
    ///   - burst: How many may pass at once after a pause; `count`, unless told otherwise.
    /// - Returns: The flow.
    public static func throttle(_ count: Int, per interval: Duration, burst: Int? = nil) -> Flow {
        precondition(count > 0, "a throttle has to let an element through, not \(count)")
        precondition(interval > .zero, "a throttle needs a positive interval, not \(interval)")
        let burst = burst ?? count
        precondition(burst > 0, "a throttle has to let an element through at once, not \(burst)")
        return Flow(unchecked: { builder in
            let ports = builder.addLinear("throttle") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                // In nanoseconds of time: an element costs `cost`, the bucket holds `burst` times that.
                let cost = max(1, interval.wholeNanoseconds / Int64(count))
                let most = cost.multipliedReportingOverflow(by: Int64(burst))
                let full = most.overflow ? Int64.max : most.partialValue
                var saved = full
                var last: Timestamp?
                var alarm: Timestamp?
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    let now = context.settings.clock.now()
                    if let last {
                        let gain = (now - last).wholeNanoseconds
                        saved = gain >= full - saved ? full : saved + max(0, gain)
                    }
                    last = now
                    while true {
                        if outlet.demand > 0, inlet.available > 0, saved >= cost {
                            saved -= cost
                            outlet.push(inlet.takeFirst())
                        } else if let watermark = inlet.takeWatermark() {
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    if inlet.available > 0, outlet.demand > 0 {
                        let due = now + .nanoseconds(cost - saved)
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

extension Wire {
    /// Ends the outlet when this inlet has ended, or else asks for one element if one was asked for.
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
    /// Gathers elements for which nobody has asked yet: a slow sink gets them together.
    ///
    /// - Parameter limit: How many elements may be in one; when it is full, the source waits. From 1 on.
    /// - Returns: The flow; a batch has the time of its last element.
    @inlinable
    public static func batch(limit: Int) -> Flow {
        precondition(limit > 0, "a batch has to hold an element, not \(limit)")
        return gathering("batch", start: { [$0] }, add: { $0.append($1) }, isFull: { $0.count >= limit })
    }
}

extension Flow where Handle == Void {
    /// Holds one value into which elements go until it is asked for.
    @inlinable
    static func gathering(
        _ name: String,
        start: @escaping @Sendable (Input) -> Output,
        add: @escaping @Sendable (inout Output, Input) -> Void,
        isFull: @escaping @Sendable (Output) -> Bool
    ) -> Flow {
        Flow(unchecked: { builder in
            let ports = builder.addLinear(name) { (context, inlet: Wire<Input>, outlet: Wire<Output>) in
                var gathered: Timed<Output>?
                // Comes after what is gathered, so that no element need wait for it.
                var watermark: Timestamp?
                let batch = context.batch
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        if inlet.available > 0, gathered.map({ !isFull($0.element) }) ?? true {
                            let element = inlet.takeFirst()
                            // Moved out, so that what is gathered is in one place only, and is not copied.
                            if var value = gathered.take() {
                                add(&value.element, element.element)
                                value.time = element.time
                                gathered = value
                            } else {
                                gathered = Timed(start(element.element), at: element.time)
                            }
                        } else if outlet.demand > 0, let value = gathered {
                            gathered = nil
                            outlet.push(value)
                        } else if let next = inlet.takeWatermark() {
                            watermark = max(watermark ?? next, next)
                        } else if gathered == nil, let passed = watermark {
                            watermark = nil
                            outlet.advance(to: passed)
                        } else {
                            break
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion {
                        if gathered == nil { outlet.finish(completion) }
                    } else if gathered.map({ !isFull($0.element) }) ?? true {
                        inlet.request(upTo: batch)
                    }
                }
            }
            return (ports, ())
        })
    }
}

/// A queue of a fixed number of places, which takes them as it needs them, and of the watermarks between the elements.
@frozen
@usableFromInline
struct BufferQueue<Element: Sendable>: Sendable {
    @usableFromInline let capacity: Int
    @usableFromInline var places: ContiguousArray<Timed<Element>?> = []
    @usableFromInline var first = 0
    @usableFromInline var count = 0
    /// How many elements have been taken from the front.
    @usableFromInline var popped = 0
    /// Where a watermark stands: how many elements are taken from the front before it comes.
    @usableFromInline var marks: ContiguousArray<(place: Int, watermark: Timestamp)> = []

    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Sends what was asked for, and the watermarks that come then.
    @inlinable
    mutating func pour(into outlet: Wire<Element>) {
        while true {
            if let mark = marks.first, mark.place <= popped {
                marks.removeFirst()
                outlet.advance(to: mark.watermark)
            } else if outlet.demand > 0, let element = pop() {
                outlet.push(element)
            } else {
                return
            }
        }
    }

    @inlinable
    mutating func append(_ watermark: Timestamp) {
        let place = popped + count
        if let last = marks.indices.last, marks[last].place == place {
            marks[last].watermark = max(marks[last].watermark, watermark)
        } else {
            marks.append((place, watermark))
        }
    }

    @inlinable var isFull: Bool { count == capacity }
    @inlinable var isEmpty: Bool { count == 0 }

    @inlinable
    mutating func append(_ element: Timed<Element>) {
        if count == places.count {
            // Grows by doubling, with the oldest in front.
            places = ContiguousArray(places[first...] + places[..<first])
            first = 0
            places.append(contentsOf: repeatElement(nil, count: min(capacity, max(8, 2 * count)) - count))
        }
        places[(first + count) % places.count] = element
        count += 1
    }

    @inlinable
    mutating func pop() -> Timed<Element>? {
        guard count > 0 else { return nil }
        defer {
            places[first] = nil
            first = (first + 1) % places.count
            count -= 1
            popped += 1
        }
        return places[first]
    }

    @inlinable
    mutating func popLast() -> Timed<Element>? {
        guard count > 0 else { return nil }
        let place = (first + count - 1) % places.count
        defer {
            places[place] = nil
            count -= 1
            // A watermark behind it comes behind what is the last one now.
            if let last = marks.last, last.place > popped + count { append(marks.removeLast().watermark) }
        }
        return places[place]
    }
}
