// Made by `.ci/operators --write`.

/// The operators of streams, by module: what people can build plugins from.
enum OperatorList {
    static let all: [(name: String, module: String, summary: String)] = {
        let lines = text.split(separator: "\n")
        return stride(from: 0, to: lines.count - 1, by: 2).map { index in
            let words = lines[index].split(separator: ".").map(String.init)
            return (words[1], words[0], String(lines[index + 1]))
        }
    }()

    private static let text = """
        WeirAggregates.running
        Emits the aggregate of all elements so far, after each.
        WeirCreation.collect
        Emits all elements in one array at the end.
        WeirCreation.reduce
        Combines all elements into one value, which it emits at the end.
        WeirCreation.sorted
        Emits all elements in one array at the end, in an order.
        WeirFlow.bounded
        Rejects the elements that run too far ahead in event time.
        WeirFlow.ordered
        Restores the order of event time, for elements that arrive late by no more than a delay.
        WeirFlow.audit
        Emits the last element of each stretch of time that an element begins.
        WeirFlow.buffer
        Collects a number of elements into arrays.
        WeirFlow.catch
        Continues with another stream when this one fails.
        WeirFlow.combineLatest
        Pairs the latest elements of two streams whenever one of them changes.
        WeirFlow.concat
        Continues with another stream when this one has finished.
        WeirFlow.conflate
        Combines the elements of each interval of event time into one value.
        WeirFlow.sample
        Emits the last element of each interval of event time.
        WeirFlow.debounce
        Emits an element when no other has followed it for a duration.
        WeirFlow.delay
        Shifts the stream in event time.
        WeirFlow.distinct
        Drops elements whose key was emitted shortly before.
        WeirFlow.dropUntil
        Leaves out elements until another stream has one.
        WeirFlow.during
        Runs a pipeline only from an element that opens it to one that closes it, each time anew.
        WeirFlow.elementsEqual
        Tells whether another stream has the same elements in the same order.
        WeirFlow.enrich
        Pairs each element with its row of a table that another stream updates.
        WeirFlow.flatMap
        Turns each element into a stream, and emits the elements of these streams.
        WeirFlow.switchToLatest
        Emits the elements of the latest of the streams that this stream emits.
        WeirFlow.grouped
        Runs a separate pipeline for each key, and merges what they emit.
        WeirFlow.watermarks
        Lets event time go on by a clock while a live source is silent.
        WeirFlow.join
        Pairs each element with the elements of another stream that have the same key and are close in event time.
        WeirFlow.mapAsync
        Turns each element into another value with an asynchronous function.
        WeirFlow.merge
        Merges the stream with another one in the order of event time; at equal times this one has priority.
        WeirFlow.partition
        Splits the stream in two by a condition.
        WeirFlow.race
        Emits the elements of whichever of two streams is first.
        WeirFlow.limit
        Limits the rate of elements, with bursts.
        WeirFlow.replaceError
        Puts an element in place of a failure, and then finishes.
        WeirFlow.retry
        Attaches to the stream again at once when it fails.
        WeirFlow.share
        Runs the stream once for all sinks that are attached.
        WeirFlow.duplicate
        The stream twice, to be used in two places, run once: `share()` for two.
        WeirFlow.writing
        Writes each element into a table, and passes it on.
        WeirFlow.take
        Ends the stream at the first element of another one.
        WeirFlow.throttle
        Emits an element, and then none for a duration.
        WeirFlow.timeout
        Fails when no element comes for a duration.
        WeirFlow.union
        Merges the stream with another one of the same type.
        WeirFlow.intersect
        Emits one element of each key that another stream has in the same window too.
        WeirFlow.except
        Emits one element of each key that another stream does not have in the same window.
        WeirFlow.withLatest
        Pairs each element with the latest element of another stream.
        WeirFlow.zip
        Pairs the first element of this stream with the first of another, the second with the second, and so on.
        WeirLogic.absent
        Emits when a stream has been silent for a duration: the negation.
        WeirLogic.repeated
        Finds elements that come several times within a duration: the repetition.
        WeirLogic.unless
        Finds elements that no element of another stream follows within a duration.
        WeirPatterns.alongside
        Puts the elements of two streams into one, for patterns of events of two types.
        WeirPatterns.matches
        Finds the matches of a pattern.
        WeirQueries.nearMatches
        Finds out what almost was a situation that a query states, and why it was none.
        WeirQueries.matches
        Finds the situations that a query states.
        WeirSelection.cast
        Emits the elements of a type, as elements of that type.
        WeirSelection.changes
        Drops consecutive elements with equal keys.
        WeirSelection.compactMap
        Transforms each element and drops those without a result.
        WeirSelection.drop
        Drops the first elements.
        WeirSelection.dropLast
        Leaves out the elements that arrive last.
        WeirSelection.element
        Emits the element at a position, counted from zero in the order of arrival.
        WeirSelection.enumerated
        Numbers the elements from zero.
        WeirSelection.where
        Emits the elements that satisfy a condition, which is a typed expression.
        WeirSelection.select
        Transforms each element with a typed expression.
        WeirSelection.failIfEmpty
        Fails when the stream finishes without an element.
        WeirSelection.filter
        Emits the elements that satisfy a condition.
        WeirSelection.flatMap
        Transforms each element into a sequence and emits its values.
        WeirSelection.last
        Emits the element that arrived last, when the stream has finished.
        WeirSelection.map
        Transforms each element.
        WeirSelection.materialize
        Turns the elements and the end of the stream into values.
        WeirSelection.dematerialize
        Turns values that say what happens back into elements and an end.
        WeirSelection.scan
        Folds the elements into a running value with an operation on two values, and emits it after each.
        WeirSelection.prepend
        Begins with other elements.
        WeirSelection.append
        Goes on with other elements at the end.
        WeirSelection.replaceEmpty
        Emits an element in place of none.
        WeirSelection.stampedOnArrival
        Replaces event time with the time of arrival.
        WeirSelection.take
        Ends the stream after its first elements.
        WeirSelection.first
        Ends the stream after its first element.
        WeirSelection.takeLast
        Emits the elements that arrived last, when the stream has finished.
        WeirSelection.takeThrough
        Ends the stream with the first element that satisfies a condition.
        WeirSelection.tap
        Calls a function with each element and forwards the stream unchanged.
        WeirSelection.tryMap
        Transforms each element; an error that is thrown ends the stream.
        WeirSelection.tryCompactMap
        Transforms each element and drops those without a result; an error that is thrown ends the stream.
        WeirSelection.tryFilter
        Emits the elements that satisfy a condition; an error that is thrown ends the stream.
        WeirSelection.tryScan
        Folds the elements into a running value and emits it after each; an error that is thrown ends the stream.
        WeirSequences.followedByWhere
        Finds pairs of neighbours that satisfy a typed expression together.
        WeirSequences.followedBy
        Finds pairs of neighbours that satisfy a condition together.
        WeirSequences.pairwise
        Emits each pair of neighbours: the element before, and the element.
        WeirSequences.rising
        Finds runs of elements whose values rise from each to the next.
        WeirSequences.falling
        Finds runs of elements whose values fall from each to the next.
        WeirSequences.then
        Finds elements that an element of another stream follows within a duration.
        WeirSignals.signal
        The latest element, as a signal of the calling actor.
        WeirSignals.hostSignals
        Creates signals in the context of the stream: on the thread that publishes, one element at a time.
        WeirSignals.phases
        The latest element and the completion, as a signal of the calling actor.
        WeirWindows.aggregate
        Emits an aggregate of each window instead of its elements.
        WeirWindows.tumbling
        Cuts event time into windows of one size that follow each other.
        WeirWindows.hopping
        Cuts event time into windows of one size that start at regular distances and overlap.
        WeirWindows.fixed
        Emits one window of event time.
        WeirWindows.landmark
        Looks back to one point of event time, over a window that grows.
        WeirWindows.windows
        Opens and closes windows by conditions.
        WeirWindows.having
        Emits the results whose value satisfies a condition: a detection by an aggregate.
        WeirWindows.retaining
        What enters and leaves a window over the last elements.
        WeirWindows.rollingUp
        Adds each element to a rollup, and passes it on.
        WeirWindows.sessions
        Cuts the stream where nothing happens for a while.
        WeirWindows.sliding
        Looks back over a duration from each element.
        WeirWindows.watermarks
        Makes watermarks of the elements' times: for sources that send none.
        WeirWindows.count
        Emits how many elements each window holds.
        WeirWindows.sum
        Emits the sum of each window.
        WeirWindows.mean
        Emits the arithmetic mean of each window.
        WeirWindows.min
        Emits the least value of each window.
        WeirWindows.max
        Emits the greatest value of each window.
        WeirWindows.first
        Emits the value of the earliest element of each window.
        WeirWindows.last
        Emits the value of the latest element of each window.
        WeirWindows.variance
        Emits the variance, as of a sample, of each window.
        WeirWindows.standardDeviation
        Emits the standard deviation, as of a sample, of each window.
        WeirWindows.ordered
        Emits the elements of each window that have the greatest, or the least, keys, in the order of these.
        WeirFoundation.windows
        Cuts event time into the days, weeks, months or years of a time zone.
        """
}
