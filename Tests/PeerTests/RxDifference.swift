/// Cases whose result differs on purpose, with the sentence of the documentation that says so.
struct RxDifference {
    /// Where the sentence stands, seen from the package.
    let file: String
    /// The sentence, or as much of it as is meant, word by word.
    let sentence: String
    let cases: [String]

    static let all: [RxDifference] = [
        RxDifference(
            file: "Operators/WeirFlow/Throttle.swift",
            sentence: "and then each whose time is at least `duration` after that of the last one emitted",
            cases: ["throttle-time: should handle a busy producer emitting a regular repeating sequence"]
        ),
        RxDifference(
            file: "Operators/WeirFlow/Conflate.swift",
            sentence: "nothing for intervals without elements",
            cases: [
                "buffer-time: should emit buffers at intervals",
                "buffer-time: should emit buffers at intervals test 2",
                "buffer-time: should handle empty",
            ]
        ),
        RxDifference(
            file: "Operators/WeirFlow/BufferWithin.swift",
            sentence:
                "or what there is when a watermark or an element is at least `duration` after the first of its elements",
            cases: [
                "buffer-time: should emit buffers at intervals or when the buffer is full",
                "buffer-time: should emit buffers at intervals or when the buffer is full test 2",
            ]
        ),
        RxDifference(
            file: "Operators/WeirFlow/Conflate.swift",
            sentence: "The completion emits the value of the interval that has begun",
            cases: [
                "sample-time: should sample nothing if new value has not arrived",
                "sample-time: should sample if new value has arrived, even if it is the same value",
            ]
        ),
        RxDifference(
            file: "Operators/WeirWindows/AlignedWindows.swift",
            sentence: "with the time of the window's last instant (`end` less a nanosecond)",
            cases: [
                "buffer-time: should emit buffers that have been created at intervals and close after the specified delay",
                "buffer-time: should emit buffers with timeSpan 10 and creationInterval 7",
                "buffer-time: should emit buffers but handle source ending with an error",
                "buffer-time: should emit buffers that have been created at intervals and close after the specified delay"
                    + " with errors",
            ]
        ),
        RxDifference(
            file: "Operators/WeirWindows/CountWindows.swift",
            sentence: "The distance between the starts of windows; positive, not more than `count`.",
            cases: [
                "buffer-count: should emit buffers with specified skip count when skip count is more than window count"
            ]
        ),
        RxDifference(
            file: "Operators/WeirFlow/CombineLatest.swift",
            sentence: "Finishes when both streams have, or one without having had an element",
            cases: [
                "combine-latest-with: should work with never and empty",
                "combine-latest-with: should work with empty and never",
                "combine-latest-with: should work with hot-empty and hot-single",
                "combine-latest-with: should work with hot-single and hot-empty",
                "combine-latest-with: should work with hot-single and never",
            ]
        ),
        RxDifference(
            file: "Operators/WeirFlow/Debounce.swift",
            sentence: "The completion emits what is held, at the time at which it would have been due",
            cases: ["debounce-time: should debounce all elements while source emits within given time"]
        ),
        RxDifference(
            file: "Operators/WeirFlow/Delay.swift",
            sentence: "The shift; negative towards earlier times.",
            cases: ["delay: should not delay at all if the delay number is negative"]
        ),
        RxDifference(
            file: "Operators/WeirSelection/Last.swift",
            sentence: "Emits one element at the completion, with its own time",
            cases: [
                "last: should take the last value of an observable",
                "last: should return last element matches with predicate",
                "last: should not return default value if an element is found",
            ]
        ),
        RxDifference(
            file: "Operators/WeirSelection/TakeLast.swift",
            sentence: "in the order of arrival, with their own times",
            cases: [
                "take-last: should take two values of an observable with many values",
                "take-last: should take last three values",
                "take-last: should take all element when try to take larger then source",
                "take-last: should take all element when try to take exact",
                "take-last: should take one value from an observable with many values",
            ]
        ),
        RxDifference(
            file: "Operators/WeirSelection/TakeLast.swift",
            sentence: "How many elements; positive.",
            cases: [
                "take-last: should not take any values",
                "take-last: should not take any values if provided with negative value",
                "take-last: should be empty on takeLast(0)",
            ]
        ),
        RxDifference(
            file: "Operators/WeirFlow/DelayUntil.swift",
            sentence: "Emits each element when it arrives",
            cases: ["delay: should raise error when source raises error before absolute delay fires"]
        ),
        RxDifference(
            file: "Operators/WeirFlow/Delay.swift",
            sentence: "The completion passes.",
            cases: ["delay: should be possible to delay complete by composition"]
        ),
        RxDifference(
            file: "Operators/WeirSelection/Drop.swift",
            sentence: "How many elements, in the order of arrival; not negative.",
            cases: ["skip: should not skip if count is negative value"]
        ),
        RxDifference(
            file: "Operators/WeirSelection/Take.swift",
            sentence: "How many elements, in the order of arrival; positive.",
            cases: [
                "take: should be empty on take(0)",
                "take: should be empty if provided with negative value",
            ]
        ),
    ]
}
