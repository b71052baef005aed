public import Comparing

/// Signals, and graphs beside the pipeline that does the same work, with what other libraries take for it.
public enum ReactiveWorkloads {
    public static let suite = Suite(
        "reactive",
        [
            Workload("chain of 1000 signals, a change", in: .plain("µs"), goal: .atMost(50)) {
                try SignalWork.chain(of: 1000)
            },
            Workload("diamond of 1000 signals, a change", in: .plain("µs")) { try SignalWork.diamond() },
            Workload("chain of 100 signals, a change", in: .plain("µs")) { try SignalWork.chain(of: 100) },
            Workload(
                "chain of 100, OpenCombine, a change",
                in: .plain("µs"),
                against: "chain of 100 signals, a change",
                isPeer: true
            ) { try PeerWork.openCombineChain(of: 100) },
            Workload("five stages, loop", in: .nanosecondsPerElement) { try GraphWork.loop() },
            Workload("five stages, pipeline", in: .nanosecondsPerElement, against: "five stages, loop") {
                try GraphWork.pipeline()
            },
            Workload(
                "five stages, fused in a graph",
                in: .nanosecondsPerElement,
                against: "five stages, pipeline",
                goal: .ratio(atMost: 1.5)
            ) { try GraphWork.fused() },
            Workload("five stages, apart in a graph", in: .nanosecondsPerElement, against: "five stages, pipeline") {
                try GraphWork.apart()
            },
            Workload(
                "five stages, OpenCombine",
                in: .nanosecondsPerElement,
                against: "five stages, pipeline",
                isPeer: true
            ) {
                try PeerWork.openCombine()
            },
            Workload("one boundary", in: .millionsPerSecond, goal: .atLeast(5)) { try GraphWork.boundary() },
            Workload(
                "one boundary, AsyncChannel",
                in: .millionsPerSecond,
                against: "one boundary",
                isPeer: true
            ) {
                try PeerWork.asyncChannel()
            },
        ] + peers + proofs,
        setUp: { _ = Numbers.events }
    )

    private static let subject = "channel → filter, map → subscriber"

    private static let peers = [
        Workload(
            "five stages, AsyncSequence",
            in: .nanosecondsPerElement,
            against: "five stages, pipeline",
            isPeer: true
        ) {
            try PeerWork.asyncSequence()
        },
        Workload("one boundary, AsyncStream", in: .millionsPerSecond, against: "one boundary", isPeer: true) {
            try PeerWork.asyncStream()
        },
        Workload("filter, map: loop", in: .nanosecondsPerElement) { try Subjects.byHand() },
        Workload(subject, in: .nanosecondsPerElement, against: "filter, map: loop") { try Subjects.channel() },
        Workload(
            "OpenCombine subject → filter, map → subscriber",
            in: .nanosecondsPerElement,
            against: subject,
            isPeer: true
        ) { try OpenCombineSubject.send() },
    ]

    private static let proofs = [
        allocations("chain of 100 signals, 1000 changes") { Allocations.chain() },
        allocations("diamond of 100 signals, 1000 changes") { Allocations.diamond() },
        allocations("dependencies that change, 1000 changes") { Allocations.dynamic() },
        allocations("five stages, fused, the second million") { try Allocations.fused() },
        allocations("five stages, apart, the second million") { try Allocations.apart() },
        allocations("one boundary, the second million") { try Allocations.boundary() },
    ]

    private static func allocations(_ name: String, _ run: @escaping @Sendable () throws -> Double) -> Workload {
        Workload(name, in: .plain("allocations"), goal: .atMost(0), run: run)
    }
}
