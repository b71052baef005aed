/// The operators of streams, by module: what people can build plugins from.
///
/// The summaries are those of the operators' documentation; a test compares the two.
enum OperatorList {
    static let all: [(name: String, module: String, summary: String)] = [
        ("running", "WeirAggregates", "Emits the aggregate of all elements so far, after each."),
        ("windows", "WeirCalendarWindows", "Cuts event time into the days, weeks, months or years of a time zone."),
        ("collect", "WeirCreation", "Emits all elements in one array at the end."),
        ("reduce", "WeirCreation", "Combines all elements into one value, which it emits at the end."),
        ("buffer", "WeirFlow", "Gathers elements by number."),
        ("catch", "WeirFlow", "Goes on with another stream when this one fails."),
        ("combineLatest", "WeirFlow", "Pairs the latest elements of two streams whenever one of them changes."),
        ("concat", "WeirFlow", "Goes on with another stream when this one has finished."),
        ("conflate", "WeirFlow", "Combines the elements of each interval of event time into one value."),
        ("sample", "WeirFlow", "Lets through the last element of each interval of event time."),
        ("debounce", "WeirFlow", "Lets an element through when nothing has followed it for a duration."),
        ("delay", "WeirFlow", "Moves the stream in event time."),
        (
            "distinct", "WeirFlow",
            "Lets an element through unless one with the same key was let through shortly before."
        ),
        (
            "enrich", "WeirFlow",
            "Puts what a table says about an element beside it; the table changes with another stream."
        ),
        (
            "grouped", "WeirFlow",
            "Runs a pipeline of its own for each value of a typed expression, and merges what they emit."
        ),
        (
            "join", "WeirFlow",
            "Pairs each element with the elements of another stream that have the same key and are close in event time."
        ),
        ("partition", "WeirFlow", "Splits a stream in two by a typed expression."),
        (
            "merge", "WeirFlow",
            "Merges the stream with another one in the order of event time; at equal times this one has priority."
        ),
        (
            "ordered", "WeirFlow",
            "Restores the order of event time, for elements that arrive late by no more than a delay."
        ),
        ("limit", "WeirFlow", "Lets through so many elements per duration on average, and a number of them at once."),
        ("retry", "WeirFlow", "Attaches to the stream again when it fails, after a pause that doubles."),
        ("share", "WeirFlow", "Runs the stream once for all sinks that are attached."),
        ("duplicate", "WeirFlow", "The stream twice, to be used in two places, run once: `share()` for two."),
        ("take", "WeirFlow", "Ends the stream when another one says something."),
        ("throttle", "WeirFlow", "Lets an element through, and then nothing for a duration."),
        ("timeout", "WeirFlow", "Fails when no element comes for a duration."),
        ("union", "WeirFlow", "Merges the stream with another one of the same type."),
        (
            "intersect", "WeirFlow",
            "Lets through one element of each key that another stream has in the same window too."
        ),
        (
            "except", "WeirFlow",
            "Lets through one element of each key that another stream does not have in the same window."
        ),
        ("withLatest", "WeirFlow", "Puts the latest element of another stream beside each element."),
        (
            "zip", "WeirFlow",
            "Pairs the first element of this stream with the first of another, the second with the second, and so on."
        ),
        ("absent", "WeirLogic", "Tells when a stream has been silent for a duration: the negation."),
        ("repeated", "WeirLogic", "Finds elements that come several times within a duration: the repetition."),
        ("unless", "WeirLogic", "Finds elements that no element of another stream follows within a duration."),
        ("cast", "WeirSelection", "Lets through the elements of a type, as elements of that type."),
        ("changes", "WeirSelection", "Leaves out the elements that equal the one before in something."),
        (
            "compactMap", "WeirSelection",
            "Turns each element into another value, and leaves out those that there is none for."
        ),
        ("drop", "WeirSelection", "Leaves out the first elements."),
        ("element", "WeirSelection", "Emits the element at a position, counted from zero in the order of arrival."),
        ("enumerated", "WeirSelection", "Numbers the elements from zero."),
        (
            "filter", "WeirSelection",
            "Lets through the elements that satisfy a condition, given as a typed expression."
        ),
        ("map", "WeirSelection", "Turns each element into the value of a typed expression."),
        ("flatMap", "WeirSelection", "Turns each element into a sequence of values."),
        ("last", "WeirSelection", "Emits the element that arrived last, when the stream has finished."),
        (
            "scan", "WeirSelection",
            "Folds the elements into a running value with an operation on two values, and emits it after each."
        ),
        (
            "take", "WeirSelection",
            "Lets through the elements before the first one that fails a condition, given as a typed expression."
        ),
        ("stampedOnArrival", "WeirSelection", "Replaces event time with the time of arrival."),
        ("first", "WeirSelection", "Ends the stream after its first element."),
        ("tap", "WeirSelection", "Calls a function with each element on its way, and leaves the stream as it is."),
        ("followedBy", "WeirSequences", "Finds pairs of neighbours that satisfy a typed expression together."),
        ("pairwise", "WeirSequences", "Emits each pair of neighbours: the element before, and the element."),
        ("rising", "WeirSequences", "Finds runs of elements whose values rise from each to the next."),
        ("falling", "WeirSequences", "Finds runs of elements whose values fall from each to the next."),
        ("then", "WeirSequences", "Finds elements that an element of another stream follows within a duration."),
        ("aggregate", "WeirWindows", "Emits an aggregate of each window instead of its elements."),
        ("tumbling", "WeirWindows", "Cuts event time into windows of one size that follow each other."),
        (
            "hopping", "WeirWindows",
            "Cuts event time into windows of one size that start at regular distances and overlap."
        ),
        (
            "ascendingWatermarks", "WeirWindows",
            "Takes each element's time as a watermark: for streams in order, whose source sends no watermarks."
        ),
        ("fixed", "WeirWindows", "Looks at one window of event time."),
        ("landmark", "WeirWindows", "Looks back to one point of event time, over a window that grows."),
        ("windows", "WeirWindows", "Opens and closes windows by conditions."),
        (
            "having", "WeirWindows",
            "Lets through the results whose value satisfies a condition: a detection by an aggregate."
        ),
        ("sessions", "WeirWindows", "Cuts the stream where nothing happens for a while."),
        ("sliding", "WeirWindows", "Looks back over a duration from each element."),
        ("count", "WeirWindows", "Emits how many elements each window holds."),
        ("sum", "WeirWindows", "Emits the sum of each window."),
        ("mean", "WeirWindows", "Emits the arithmetic mean of each window."),
        ("min", "WeirWindows", "Emits the least value of each window."),
        ("max", "WeirWindows", "Emits the greatest value of each window."),
        ("first", "WeirWindows", "Emits the value of the earliest element of each window."),
        ("last", "WeirWindows", "Emits the value of the latest element of each window."),
        ("variance", "WeirWindows", "Emits the variance, as of a sample, of each window."),
        ("standardDeviation", "WeirWindows", "Emits the standard deviation, as of a sample, of each window."),
        (
            "ordered", "WeirWindows",
            "Emits the elements of each window that have the greatest, or the least, keys, in the order of these."
        ),
    ]
}
