// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that Weir itself depends on nothing.
//
// The benchmark plugin finds a suite by the name of the folder around it, which must be `Benchmarks`: here that is the
// folder of the package. Executables that are no suites stand in `Tools/`, what the suites share in `Support/`.

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let cSettings: [CSetting] = [
    .treatAllWarnings(as: .error),
    .enableWarning("all"),
    .enableWarning("extra"),
    .enableWarning("conversion"),
    .enableWarning("strict-prototypes"),
]

func weir(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "Weir") }
}

/// Workloads, rounds, ratios, and what is written about them.
let comparing = Target.Dependency.product(name: "Comparing", package: "Comparing")

/// Other libraries, in the same process.
let openCombine = Target.Dependency.product(name: "OpenCombine", package: "OpenCombine")
let asyncAlgorithms = Target.Dependency.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")

func support(_ name: String, needs dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Support/\(name)", swiftSettings: swiftSettings)
}

func cSupport(_ name: String, needs dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Support/\(name)", cSettings: cSettings)
}

/// The areas; each has its workloads in `Support/<area>Workloads` and a suite in `<area>Benchmarks`.
let areas: [(name: String, needs: [Target.Dependency])] = [
    ("Pipeline", ["CommonStream"] + weir("WeirCore", "WeirSelection", "WeirSequences")),
    ("Pattern", ["CommonStream"] + weir("WeirCore", "WeirExpressions", "WeirPatterns")),
    (
        "Query",
        ["CAllocations", "CommonStream"]
            + weir("WeirCore", "WeirEQL", "WeirFormats", "WeirQueries", "WeirRecords", "WeirSchemas")
    ),
    (
        "Format",
        ["CAllocations", "CBench", "CommonStream"]
            + weir("WeirCore", "WeirFiles", "WeirFormats", "WeirRecords", "WeirSelection")
    ),
    (
        "Operator",
        ["CAllocations", "CommonStream", asyncAlgorithms, deque, heap, openCombine]
            + weir(
                "WeirAggregates",
                "WeirCore",
                "WeirExpressions",
                "WeirFlow",
                "WeirSchemas",
                "WeirSelection",
                "WeirSequences",
                "WeirWindows"
            )
    ),
    ("Ring", ["CBench", "Crew", asyncAlgorithms, deque] + weir("WeirCore")),
    (
        "Dispatch",
        ["CAllocations", "CBench", "CommonStream", "Crew", heap, openCombine] + weir("WeirCore", "WeirDispatch")
    ),
    (
        "Transport",
        ["CBench", "CommonStream"]
            + weir(
                "WeirCore",
                "WeirDispatch",
                "WeirFiles",
                "WeirFormats",
                "WeirNATS",
                "WeirRecords",
                "WeirSelection",
                "WeirSockets"
            )
    ),
    (
        "Command",
        ["CAllocations", "CBench", "CommonStream"]
            + weir("WeirCore", "WeirFiles", "WeirFormats", "WeirRecords", "WeirShake")
    ),
    (
        "Reactive",
        ["CAllocations", "CommonStream", openCombine, asyncAlgorithms]
            + weir("WeirCore", "WeirGraphs", "WeirSelection", "WeirSignals")
    ),
]

let package = Package(
    name: "WeirBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Weir", path: ".."),
        .package(path: "Comparing"),
        // Without its traits: the allocation counters of the default ones read 0 here (see `Support/CAllocations`).
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        // Peers, measured beside.
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        cSupport("CAllocations", needs: []),
        cSupport("CBench", needs: weir("CWeir")),
        support("Crew", needs: ["CBench"]),
        support("CommonStream", needs: weir("WeirCore", "WeirRecords")),
        support("SuiteBenchmarks", needs: [comparing, .product(name: "Benchmark", package: "benchmark")]),
        .executableTarget(
            name: "compare",
            dependencies: [comparing] + areas.map { .byName(name: "\($0.name)Workloads") },
            path: "Tools/Compare",
            swiftSettings: swiftSettings
        ),
        // What the gate measures, here for the peers: built with the rest, not apart as for the gate.
        .executableTarget(
            name: "hotpaths",
            dependencies: ["CommonStream"]
                + weir(
                    "WeirAggregates",
                    "WeirCore",
                    "WeirDispatch",
                    "WeirExpressions",
                    "WeirFiles",
                    "WeirFlow",
                    "WeirFormats",
                    "WeirPatterns",
                    "WeirRecords",
                    "WeirSelection",
                    "WeirSequences",
                    "WeirSignals",
                    "WeirWindows"
                ),
            path: "Check/HotPaths",
            swiftSettings: swiftSettings
        ),
    ]
        + areas.map { support("\($0.name)Workloads", needs: [comparing] + $0.needs) }
        + areas.map {
            .executableTarget(
                name: "\($0.name)Benchmarks",
                dependencies: [
                    .byName(name: "\($0.name)Workloads"), "SuiteBenchmarks",
                    .product(name: "Benchmark", package: "benchmark"),
                ],
                path: "\($0.name)Benchmarks",
                swiftSettings: swiftSettings,
                plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
            )
        },
    cLanguageStandard: .c11
)
