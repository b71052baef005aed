public import WeirCore

extension Flow where Handle == Void {
    /// Turns each element into another value, with the element's time.
    ///
    /// - Parameters:
    ///   - supervision: What to do when `transform` throws.
    ///   - transform: Makes the value.
    /// - Returns: The flow.
    @inlinable
    public static func map<Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Input) throws(Failure) -> Output
    ) -> Flow {
        transforming("map") { context in
            context.keepCount(of: supervision.leftOut)
            return { elements, range, output in
                for index in range {
                    do throws(Failure) {
                        output.append(Timed(try transform(elements[index].element), at: elements[index].time))
                    } catch {
                        if supervision.directive(for: error, at: elements[index].time) == .stop { return error }
                    }
                }
                return nil
            }
        }
    }

    /// Turns each element into another value, or leaves it out.
    ///
    /// - Parameters:
    ///   - supervision: What to do when `transform` throws.
    ///   - transform: Makes the value, or nil.
    /// - Returns: The flow.
    @inlinable
    public static func compactMap<Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Input) throws(Failure) -> Output?
    ) -> Flow {
        transforming("compactMap") { context in
            context.keepCount(of: supervision.leftOut)
            return { elements, range, output in
                for index in range {
                    do throws(Failure) {
                        if let value = try transform(elements[index].element) {
                            output.append(Timed(value, at: elements[index].time))
                        }
                    } catch {
                        if supervision.directive(for: error, at: elements[index].time) == .stop { return error }
                    }
                }
                return nil
            }
        }
    }

    /// Folds the elements into a running value and sends it after each.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element; and after an error, where the supervision restarts.
    ///   - supervision: What to do when `update` throws.
    ///   - update: Takes the running value and an element, and changes the value.
    /// - Returns: The flow.
    @inlinable
    public static func scan<Failure: Error>(
        into initial: Output,
        supervision: Supervision = .stop,
        _ update: @escaping @Sendable (inout Output, Input) throws(Failure) -> Void
    ) -> Flow {
        transforming("scan") { context in
            let kept = context.keep(initial)
            context.keepCount(of: supervision.leftOut)
            return { elements, range, output in
                var value = kept.value
                defer { kept.value = value }
                for index in range {
                    let before = value
                    do throws(Failure) {
                        try update(&value, elements[index].element)
                        output.append(Timed(value, at: elements[index].time))
                    } catch {
                        switch supervision.directive(for: error, at: elements[index].time) {
                        case .stop: return error
                        case .resume: value = before
                        case .restart: value = initial
                        }
                    }
                }
                return nil
            }
        }
    }

    /// Turns each element into any number of others, which share its time.
    ///
    /// Takes the next element when all of these are sent; they are sent on demand. After a restart, `transform` is called again
    /// for the element that it was at, and has to give the same elements.
    ///
    /// - Parameters:
    ///   - supervision: What to do when `transform` throws.
    ///   - transform: Makes the elements.
    /// - Returns: The flow.
    @inlinable
    public static func flatMap<Elements: Sequence, Failure: Error>(
        supervision: Supervision = .stop,
        _ transform: @escaping @Sendable (Input) throws(Failure) -> Elements
    ) -> Flow where Elements.Element == Output, Elements.Iterator: SendableMetatype {
        Flow(unchecked: { builder in
            let ports = builder.addLinear("flatMap") {
                (context, inlet: Wire<Input>, outlet: Wire<Output>) in
                // The element whose results are being sent, and how many of them were; after a restart they are made again.
                let current = context.keep(Timed<Input>?.none)
                let sentCount = context.keep(0)
                context.keepCount(of: supervision.leftOut)
                var inner: Lookahead<Elements.Iterator>?
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        if var elements = inner, let time = current.value?.time {
                            inner = nil
                            while outlet.demand > 0, let element = elements.next() {
                                outlet.push(Timed(element, at: time))
                                sentCount.value += 1
                            }
                            if outlet.demand == 0, !elements.hasEnded() {
                                inner = elements
                                return
                            }
                            current.value = nil
                            sentCount.value = 0
                        } else if current.value != nil || (outlet.demand > 0 && inlet.available > 0) {
                            let element = current.value ?? inlet.takeFirst()
                            do throws(Failure) {
                                let elements = try transform(element.element)
                                current.value = element
                                inner = Lookahead(elements.makeIterator(after: sentCount.value))
                            } catch {
                                current.value = nil
                                sentCount.value = 0
                                if supervision.directive(for: error, at: element.time) == .stop {
                                    outlet.finish(.failed(error))
                                    return inlet.cancel()
                                }
                            }
                        } else if let watermark = inlet.takeWatermark() {
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion {
                        outlet.finish(completion)
                    } else if outlet.demand > 0 {
                        // One at a time, because the number of results is unknown.
                        inlet.request(upTo: 1)
                    }
                }
            }
            return (ports, ())
        })
    }
}

extension Flow where Output == Input, Handle == Void {
    /// Emits the elements that satisfy a condition.
    ///
    /// - Parameters:
    ///   - supervision: What to do when `condition` throws.
    ///   - condition: Called once for each element.
    /// - Returns: The flow.
    @inlinable
    public static func filter<Failure: Error>(
        supervision: Supervision = .stop,
        _ condition: @escaping @Sendable (Input) throws(Failure) -> Bool
    ) -> Flow {
        transforming("filter") { context in
            context.keepCount(of: supervision.leftOut)
            return { elements, range, output in
                for index in range {
                    do throws(Failure) {
                        if try condition(elements[index].element) { output.append(elements[index]) }
                    } catch {
                        if supervision.directive(for: error, at: elements[index].time) == .stop { return error }
                    }
                }
                return nil
            }
        }
    }

    /// Emits the first elements and then ends; requests only these.
    ///
    /// - Parameter limit: How many; not negative.
    /// - Returns: The flow.
    @inlinable
    public static func take(_ limit: Int) -> Flow {
        precondition(limit >= 0, "take: limit must not be negative, but is \(limit)")
        return Flow(unchecked: { builder in
            let ports = builder.addLinear("take") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                let rest = context.keep(limit)
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        if rest.value == 0 {
                            outlet.finish(.finished)
                            return inlet.cancel()
                        }
                        if outlet.demand > 0, inlet.available > 0 {
                            outlet.push(inlet.takeFirst())
                            rest.value -= 1
                        } else if let watermark = inlet.takeWatermark() {
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    if inlet.isDrained, let completion = inlet.completion {
                        outlet.finish(completion)
                    } else {
                        inlet.request(upTo: min(rest.value, outlet.demand))
                    }
                }
            }
            return (ports, ())
        })
    }

    /// Puts an element in place of a failure, and then ends.
    ///
    /// - Parameter replacement: Makes the element of the error; nil lets the failure pass.
    /// - Returns: The flow.
    @inlinable
    public static func recover(_ replacement: @escaping @Sendable (any Error) -> Input?) -> Flow {
        Flow(unchecked: { builder in
            let ports = builder.addLinear("recover") { (context, inlet: Wire<Input>, outlet: Wire<Input>) in
                let time = context.keep(Timestamp.distantPast)
                let last = context.keep(Timed<Input>?.none)
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while last.value == nil {
                        if outlet.demand > 0, inlet.available > 0 {
                            let element = inlet.takeFirst()
                            time.value = element.time
                            outlet.push(element)
                        } else if let watermark = inlet.takeWatermark() {
                            time.value = max(time.value, watermark)
                            outlet.advance(to: watermark)
                        } else {
                            break
                        }
                    }
                    if last.value == nil, inlet.isDrained, case .failed(let error)? = inlet.completion {
                        last.value = replacement(error).map { Timed($0, at: time.value) }
                    }
                    if let element = last.value {
                        if outlet.demand > 0 {
                            outlet.push(element)
                            outlet.finish(.finished)
                        }
                    } else {
                        inlet.passOn(to: outlet)
                    }
                }
            }
            return (ports, ())
        })
    }
}
