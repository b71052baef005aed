public import WeirCore

extension GraphSink {
    /// A sink that takes elements in batches, and makes its result of the state in the end.
    ///
    /// `take` updates the state with the elements in a range; an error that it throws ends the sink and cancels its
    /// source.
    @inlinable
    static func folding<State, Value>(
        _ name: String,
        into initial: @escaping @Sendable () -> State,
        asking most: Int? = nil,
        _ take: @escaping @Sendable (inout State, ContiguousArray<Timed<Element>>, Range<Int>) throws -> Bool,
        result makeValue: @escaping @Sendable (State) throws -> Value
    ) -> GraphSink where Result == GraphResult<Value> {
        GraphSink(unchecked: { builder in
            let result = GraphResult<Value>()
            let stage = builder.addStage(name, inlets: ["in"]) { context in
                let inlet = context.inlet(0, of: Element.self)
                let batch = most ?? context.batch
                let kept = context.keep(initial() as State?)
                // How the sink has ended before its source.
                let ending = context.keep(Completion?.none)
                return {
                    // Moved out, so that it is in one place only, and is not copied for each batch.
                    guard var state = kept.value.take() else { return }
                    defer { kept.value = state }
                    guard !inlet.isCancelled else {
                        // After a restart, the result is there again.
                        guard let ending = ending.value else { return }
                        do {
                            try ending.get()
                            result.complete(.success(try makeValue(state)))
                        } catch {
                            result.complete(.failure(error))
                        }
                        return
                    }
                    do {
                        var wantsMore = true
                        while wantsMore {
                            let number = inlet.available
                            if number > 0 {
                                var failure: (any Error)?
                                inlet.take(number) { elements, range in
                                    do {
                                        wantsMore = try take(&state, elements, range)
                                    } catch {
                                        failure = error
                                    }
                                }
                                if let failure { throw failure }
                            } else if inlet.takeWatermark() == nil {
                                break
                            }
                        }
                        if !wantsMore {
                            ending.value = .finished
                            inlet.cancel()
                            result.complete(.success(try makeValue(state)))
                        } else if inlet.isDrained, let completion = inlet.completion {
                            try completion.get()
                            result.complete(.success(try makeValue(state)))
                        } else {
                            inlet.request(upTo: batch)
                        }
                    } catch {
                        ending.value = .failed(error)
                        inlet.cancel()
                        result.complete(.failure(error))
                    }
                }
            }
            return (Inlet(builder, stage, 0), result)
        })
    }
}

extension GraphSink where Result == GraphResult<Void> {
    /// Calls `body` with each element.
    ///
    /// - Parameters:
    ///   - batch: How many elements to request at a time; at least 1. By default the number of the run's settings.
    ///   - body: Called by one thread at a time; an error that it throws cancels the source, and is the result.
    /// - Returns: The sink.
    @inlinable
    public static func forEach(
        asking batch: Int? = nil,
        _ body: @escaping @Sendable (Element) throws -> Void
    ) -> GraphSink {
        folding("forEach", into: { () }, asking: batch) { _, elements, range in
            for index in range { try body(elements[index].element) }
            return true
        } result: {
            $0
        }
    }

    /// Calls `body` with each element and its event time.
    ///
    /// - Parameter body: Called by one thread at a time; an error that it throws cancels the source, and is the result.
    /// - Returns: The sink.
    @inlinable
    public static func forEachTimed(_ body: @escaping @Sendable (Element, Timestamp) throws -> Void) -> GraphSink {
        folding("forEach", into: { () }) { _, elements, range in
            for index in range { try body(elements[index].element, elements[index].time) }
            return true
        } result: {
            $0
        }
    }

    /// Takes and discards all elements.
    @inlinable
    public static func ignoring() -> GraphSink {
        folding("ignoring", into: { () }) { _, _, _ in
            true
        } result: {
            $0
        }
    }
}

extension GraphSink {
    /// Folds all elements into one value.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - update: Makes the value with an element from the one before.
    /// - Returns: The sink; its result is the last value.
    @inlinable
    public static func fold<Value: Sendable>(
        _ initial: Value,
        _ update: @escaping @Sendable (Value, Element) throws -> Value
    ) -> GraphSink where Result == GraphResult<Value> {
        folding("fold", into: { initial }) { value, elements, range in
            for index in range { value = try update(value, elements[index].element) }
            return true
        } result: {
            $0
        }
    }

    /// Folds all elements into one value, in place.
    ///
    /// - Parameters:
    ///   - initial: The value before the first element.
    ///   - update: Changes the value with an element.
    /// - Returns: The sink; its result is the last value.
    @inlinable
    public static func fold<Value: Sendable>(
        into initial: Value,
        _ update: @escaping @Sendable (inout Value, Element) throws -> Void
    ) -> GraphSink where Result == GraphResult<Value> {
        folding("fold", into: { initial }) { value, elements, range in
            for index in range { try update(&value, elements[index].element) }
            return true
        } result: {
            $0
        }
    }
}

extension GraphSink where Result == GraphResult<[Element]> {
    /// Keeps all elements.
    ///
    /// - Parameter limit: How many it may hold; with one more the result is ``GraphError/tooMany(limit:)``.
    /// - Returns: The sink; its result are the elements.
    @inlinable
    public static func collect(limit: Int = 1 << 20) -> GraphSink {
        folding("collect", into: { [Element]() }) { all, elements, range in
            guard all.count + range.count <= limit else { throw GraphError.tooMany(limit: limit) }
            for index in range { all.append(elements[index].element) }
            return true
        } result: {
            $0
        }
    }
}

extension GraphSink where Result == GraphResult<[Timed<Element>]> {
    /// Keeps all elements and their times.
    ///
    /// - Parameter limit: How many it may hold; with one more the result is ``GraphError/tooMany(limit:)``.
    /// - Returns: The sink; its result are the elements.
    @inlinable
    public static func collectTimed(limit: Int = 1 << 20) -> GraphSink {
        folding("collect", into: { [Timed<Element>]() }) { all, elements, range in
            guard all.count + range.count <= limit else { throw GraphError.tooMany(limit: limit) }
            all.append(contentsOf: elements[range])
            return true
        } result: {
            $0
        }
    }
}

extension GraphSink where Result == GraphResult<Element> {
    /// Takes the first element, and cancels the source.
    @inlinable
    public static func first() -> GraphSink {
        folding("first", into: { Element?.none }, asking: 1) { first, elements, range in
            first = elements[range.lowerBound].element
            return false
        } result: { first in
            guard let first else { throw GraphError.noElement }
            return first
        }
    }

    /// Keeps the last element.
    @inlinable
    public static func last() -> GraphSink {
        folding("last", into: { Element?.none }) { last, elements, range in
            last = elements[range.upperBound - 1].element
            return true
        } result: { last in
            guard let last else { throw GraphError.noElement }
            return last
        }
    }
}

extension GraphSink where Result == GraphResult<Void> {
    /// Publishes each element on a channel; one that has no time of its own gets that of its arrival there.
    ///
    /// - Parameter channel: The channel; its overflow policy applies when it is full.
    /// - Returns: The sink.
    public static func channel(_ channel: EventChannel<Element>) -> GraphSink {
        forEach { channel.publish($0) }
    }
}
