// swift-tools-version: 6.2
import PackageDescription

/// One target of the package: where it lives, what it needs, and whether it is a product of its own.
struct Module {
    let name: String
    let folder: String
    let dependencies: [Target.Dependency]
    let resources: [Resource]
    let excludes: [String]
    let isProduct: Bool

    init(
        _ name: String,
        in folder: String,
        needs dependencies: [Target.Dependency],
        resources: [Resource] = [],
        excludes: [String] = [],
        isProduct: Bool = true
    ) {
        self.name = name
        self.folder = folder
        self.dependencies = dependencies
        self.resources = resources
        self.excludes = excludes
        self.isProduct = isProduct
    }

    var path: String { "\(folder)/\(name)" }
}

let checkedSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let swiftSettings = checkedSettings + [.strictMemorySafety()]

let cSettings: [CSetting] = [
    .treatAllWarnings(as: .error),
    .enableWarning("all"),
    .enableWarning("extra"),
    .enableWarning("conversion"),
    .enableWarning("strict-prototypes"),
]

/// Full RELRO: the executable's table of imported functions is filled in at its start, and read-only afterwards.
///
/// Of the executable only, so that packages that use the libraries link as they choose.
let hardeningSettings: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "-zrelro", "-Xlinker", "-znow"], .when(platforms: [.linux]))
]

/// The test targets that `WEIR_TESTS` names, and what they need: a check of some modules that does not build the others.
let chosenTests = Set(
    Context.environment["WEIR_TESTS"].map { $0.split(whereSeparator: \.isWhitespace).map(String.init) } ?? []
)

/// The standard library in the executable: it starts in two thirds of the time, and runs where no Swift is installed.
///
/// In release builds alone, and not where `WEIR_TESTS` names tests: the tests of the host link what the host links, and
/// they have Foundation. Its symbols stay its own, so that a loaded plugin, which brings a standard library, binds to that
/// one.
let startingSettings: [LinkerSetting] =
    chosenTests.isEmpty
    ? [
        .unsafeFlags(
            ["-static-stdlib", "-Xlinker", "--no-export-dynamic"],
            .when(platforms: [.linux], configuration: .release)
        )
    ] : []

/// The Swift modules: one product each, but for those that only the host and its plugins need.
let modules: [Module] = [
    Module("WeirCore", in: "Core", needs: ["CWeir"]),
    Module("WeirDispatch", in: "Core", needs: ["CWeir", "WeirCore"]),
    Module("WeirRecords", in: "Core", needs: ["CWeir", "WeirCore"]),
    Module("WeirTesting", in: "Core", needs: ["WeirCore", "WeirDispatch"]),
    Module("WeirExpressions", in: "Core", needs: ["WeirCore"]),
    Module("WeirSchemas", in: "Core", needs: ["WeirCore", "WeirExpressions"]),
    Module("WeirLoading", in: "Core", needs: ["CWeirPlugin", "WeirCore", "WeirRecords"]),
    Module("WeirSelection", in: "Operators", needs: ["WeirCore", "WeirExpressions"]),
    Module("WeirSequences", in: "Operators", needs: ["WeirCore", "WeirExpressions"]),
    Module("WeirLogic", in: "Operators", needs: ["WeirCore"]),
    Module("WeirFlow", in: "Operators", needs: ["WeirCore", "WeirDispatch"]),
    Module("WeirCreation", in: "Operators", needs: ["WeirCore", "WeirDispatch"]),
    Module("WeirAggregates", in: "Operators", needs: ["WeirCore"]),
    Module("WeirWindows", in: "Operators", needs: ["WeirAggregates", "WeirCore"]),
    Module("WeirPatterns", in: "Operators", needs: ["WeirCore", "WeirExpressions"]),
    Module(
        "WeirPatternDefinitions",
        in: "Operators",
        needs: ["WeirCore", "WeirExpressions", "WeirPatterns", "WeirSchemas"]
    ),
    Module("WeirSignals", in: "Operators", needs: ["WeirCore", "WeirDispatch"]),
    Module("WeirGraphs", in: "Operators", needs: ["CWeir", "WeirCore", "WeirDispatch"]),
    Module(
        "WeirQueries",
        in: "Operators",
        needs: ["CWeir", "WeirCore", "WeirExpressions", "WeirRecords", "WeirSchemas"]
    ),
    Module(
        "Weir",
        in: "Operators",
        needs: [
            "WeirAggregates", "WeirCore", "WeirCreation", "WeirDispatch", "WeirExpressions", "WeirFlow", "WeirGraphs",
            "WeirLogic", "WeirPatternDefinitions", "WeirPatterns", "WeirSchemas", "WeirSelection", "WeirSequences",
            "WeirSignals", "WeirWindows",
        ]
    ),
    Module("WeirFormats", in: "Transports", needs: ["WeirCore", "WeirRecords"]),
    Module("WeirFiles", in: "Transports", needs: ["CWeir", "WeirCore", "WeirRecords"]),
    Module("WeirSystem", in: "Transports", needs: ["CWeir", "WeirCore", "WeirFiles", "WeirRecords"], isProduct: false),
    Module("WeirRecording", in: "Transports", needs: ["WeirCore", "WeirDispatch", "WeirFiles", "WeirRecords"]),
    Module(
        "WeirState",
        in: "Transports",
        needs: ["WeirCore", "WeirFiles", "WeirRecording", "WeirRecords"],
        isProduct: false
    ),
    Module(
        "WeirSockets",
        in: "Transports",
        needs: ["CWeir", "CWeirSockets", "WeirCore", "WeirDispatch", "WeirFiles", "WeirRecords"]
    ),
    Module("WeirGroups", in: "Transports", needs: ["WeirCore", "WeirFormats", "WeirRecords"], isProduct: false),
    Module(
        "WeirNATS",
        in: "Transports",
        needs: [
            "CWeirSockets", "WeirCore", "WeirFiles", "WeirFormats", "WeirGroups", "WeirRecords", "WeirSockets",
        ]
    ),
    Module(
        "WeirFoundation",
        in: "Transports",
        needs: [
            "WeirCore", "WeirDispatch", "WeirFiles", "WeirFormats", "WeirRecording", "WeirRecords", "WeirWindows",
        ]
    ),
    Module(
        "WeirReport",
        in: "Plugins",
        needs: ["WeirCore", "WeirRecords"],
        resources: [.embedInCode("Resources/report.html")],
        isProduct: false
    ),
    Module(
        "WeirShake",
        in: "Plugins",
        needs: ["WeirCore", "WeirFlow", "WeirRecords", "WeirSelection", "WeirSequences"]
    ),
    Module(
        "WeirSentiment",
        in: "Plugins",
        needs: ["WeirAggregates", "WeirCore", "WeirFiles", "WeirRecords", "WeirSelection"],
        // In the code, because reading it from a bundle would take Foundation.
        resources: [.embedInCode("Resources/words.txt")]
    ),
    Module("WeirEQL", in: "Plugins", needs: ["WeirCore", "WeirQueries", "WeirRecords"]),
    Module("WeirGeography", in: "Plugins", needs: [], isProduct: false),
    Module(
        "WeirFraud",
        in: "Plugins",
        needs: ["WeirCore", "WeirGeography", "WeirPatterns", "WeirRecords", "WeirSelection"]
    ),
    Module(
        "WeirWalk",
        in: "Plugins",
        needs: ["WeirCore", "WeirFlow", "WeirGeography", "WeirRecords", "WeirSelection"]
    ),
]

/// The built-in plugins once more, as libraries that a host loads at run time.
///
/// Their entries hand out a pointer, which strict memory safety would have marked at every mention: it is off here.
let loadables = ["Fraud", "Sentiment", "Shake", "Walk"]

/// One test target per module that has tests; `Tests/<name>Tests` mirrors the tree.
let tests: [Module] = [
    Module("CWeirTests", in: "Tests", needs: ["CWeir", "TestThreads"]),
    Module(
        "WeirCoreTests",
        in: "Tests",
        needs: ["TestStreams", "TestThreads", "WeirCore", "WeirRecords", "WeirTesting"],
        excludes: ["State/Golden"]
    ),
    Module(
        "WeirDispatchTests",
        in: "Tests",
        needs: ["TestThreads", "WeirCore", "WeirDispatch", "WeirSelection", "WeirTesting"]
    ),
    Module("WeirRecordsTests", in: "Tests", needs: ["WeirCore", "WeirRecords", "WeirTesting"]),
    Module(
        "WeirExpressionsTests",
        in: "Tests",
        needs: ["WeirCore", "WeirExpressions", "WeirSchemas", "WeirTesting"]
    ),
    Module(
        "WeirPatternsTests",
        in: "Tests",
        needs: [
            "TestStreams", "WeirCore", "WeirExpressions", "WeirPatternDefinitions", "WeirPatterns", "WeirSchemas",
            "WeirSelection", "WeirTesting",
        ],
        excludes: ["Corpus", "Golden"]
    ),
    Module("CaseStudyTests", in: "Tests", needs: ["Weir"]),
    Module(
        "WeirTests",
        in: "Tests",
        needs: ["TestStreams", "Weir", "WeirCore", "WeirTesting"],
        excludes: ["Golden"]
    ),
    Module(
        "WeirSignalsTests",
        in: "Tests",
        needs: ["TestStreams", "TestThreads", "WeirCore", "WeirDispatch", "WeirSignals", "WeirTesting"]
    ),
    Module(
        "WeirGraphsTests",
        in: "Tests",
        needs: ["TestStreams", "TestThreads", "WeirCore", "WeirDispatch", "WeirGraphs", "WeirSelection", "WeirTesting"]
    ),
    Module(
        "WeirLoadingTests",
        in: "Tests",
        needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirLoading", "WeirRecords", "WeirShake"]
    ),
    Module(
        "WeirSelectionTests",
        in: "Tests",
        needs: ["TestStreams", "WeirCore", "WeirExpressions", "WeirSelection", "WeirTesting"]
    ),
    Module(
        "WeirSequencesTests",
        in: "Tests",
        needs: ["TestStreams", "WeirCore", "WeirExpressions", "WeirSequences", "WeirTesting"]
    ),
    Module(
        "WeirLogicTests",
        in: "Tests",
        needs: ["TestStreams", "TestThreads", "WeirCore", "WeirLogic", "WeirSelection", "WeirSequences", "WeirTesting"]
    ),
    Module(
        "WeirFlowTests",
        in: "Tests",
        needs: [
            "TestStreams", "TestThreads", "WeirAggregates", "WeirCore", "WeirCreation", "WeirDispatch",
            "WeirExpressions", "WeirFlow", "WeirPatterns", "WeirSchemas", "WeirSelection", "WeirSequences",
            "WeirTesting", "WeirWindows",
        ],
        excludes: ["Golden"]
    ),
    Module(
        "PeerTests",
        in: "Tests",
        needs: [
            "WeirCore", "WeirCreation", "WeirFlow", "WeirSelection", "WeirSequences", "WeirTesting", "WeirWindows",
        ]
    ),
    Module(
        "WeirCreationTests",
        in: "Tests",
        needs: [
            "TestStreams", "TestThreads", "WeirCore", "WeirCreation", "WeirDispatch", "WeirSelection", "WeirTesting",
        ]
    ),
    Module(
        "WeirAggregatesTests",
        in: "Tests",
        needs: ["TestStreams", "WeirAggregates", "WeirCore", "WeirTesting"]
    ),
    Module(
        "WeirWindowsTests",
        in: "Tests",
        needs: [
            "TestStreams", "WeirAggregates", "WeirCore", "WeirFlow", "WeirSelection", "WeirTesting", "WeirWindows",
        ]
    ),
    Module("WeirTestingTests", in: "Tests", needs: ["WeirCore", "WeirDispatch", "WeirTesting"]),
    Module("WeirFormatsTests", in: "Tests", needs: ["WeirCore", "WeirFormats", "WeirRecords", "WeirTesting"]),
    Module("WeirFilesTests", in: "Tests", needs: ["CWeirFaults", "WeirCore", "WeirFiles", "WeirRecords"]),
    Module(
        "WeirRecordingTests",
        in: "Tests",
        needs: [
            "CWeirFaults", "TestRecordings", "WeirCore", "WeirDispatch", "WeirFiles", "WeirRecording", "WeirRecords",
            "WeirTesting",
        ]
    ),
    Module(
        "WeirFoundationTests",
        in: "Tests",
        needs: [
            "TestRecordings", "WeirAggregates", "WeirCore", "WeirCreation", "WeirDispatch", "WeirFormats",
            "WeirFoundation", "WeirRecording", "WeirRecords", "WeirSelection", "WeirTesting", "WeirWindows",
        ]
    ),
    Module("WeirSystemTests", in: "Tests", needs: ["TestThreads", "WeirCore", "WeirRecords", "WeirSystem"]),
    Module(
        "WeirStateTests",
        in: "Tests",
        needs: ["CWeirFaults", "WeirCore", "WeirFiles", "WeirRecords", "WeirState"]
    ),
    Module(
        "WeirShakeTests",
        in: "Tests",
        needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirRecords", "WeirShake"]
    ),
    Module(
        "WeirSentimentTests",
        in: "Tests",
        needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirGraphs", "WeirRecords", "WeirSentiment"]
    ),
    Module(
        "WeirFraudTests",
        in: "Tests",
        needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirFraud", "WeirRecords"]
    ),
    Module("WeirWalkTests", in: "Tests", needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirRecords", "WeirWalk"]),
    Module(
        "WeirQueriesTests",
        in: "Tests",
        needs: [
            "TestPlugins", "TestStreams", "WeirCore", "WeirExpressions", "WeirFlow", "WeirFormats", "WeirQueries",
            "WeirRecords", "WeirSchemas", "WeirTesting",
        ],
        excludes: ["Golden"]
    ),
    Module(
        "WeirEQLTests",
        in: "Tests",
        needs: [
            "TestPlugins", "TestStreams", "WeirCore", "WeirEQL", "WeirFormats", "WeirQueries", "WeirRecords",
            "WeirTesting",
        ]
    ),
    Module("WeirReportTests", in: "Tests", needs: ["CWeirSockets", "WeirCore", "WeirRecords", "WeirReport"]),
    Module(
        "WeirSocketsTests",
        in: "Tests",
        needs: [
            "CWeirFaults", "CWeirSockets", "TestThreads", "WeirCore", "WeirFiles", "WeirFormats", "WeirRecords",
            "WeirSockets",
        ]
    ),
    Module("WeirGroupsTests", in: "Tests", needs: ["TestThreads", "WeirCore", "WeirGroups", "WeirTesting"]),
    Module(
        "WeirNATSTests",
        in: "Tests",
        needs: [
            "CWeirSockets", "TestServers", "TestThreads", "WeirCore", "WeirFiles", "WeirFormats", "WeirGroups",
            "WeirNATS",
            "WeirRecords", "WeirSockets", "WeirTesting",
        ]
    ),
    Module(
        "HostTests",
        in: "Tests",
        needs: [
            "CWeirFaults", "TestPlugins", "TestServers", "weir", "WeirCore", "WeirFiles", "WeirFormats", "WeirNATS",
            "WeirRecording", "WeirRecords", "WeirSockets", "WeirState", "WeirTesting",
        ]
    ),
    Module("ReadmeTests", in: "Tests", needs: ["WeirCore", "WeirPatterns", "WeirSelection", "WeirSequences"]),
]

let products: [Product] = [
    .library(name: "CWeir", targets: ["CWeir"]),
    .library(name: "CWeirPlugin", targets: ["CWeirPlugin"]),
    .executable(name: "weir", targets: ["weir"]),
]

let moduleProducts: [Product] = modules.filter(\.isProduct).map { .library(name: $0.name, targets: [$0.name]) }

let loadableProducts: [Product] = loadables.map {
    .library(name: "Weir\($0)Plugin", type: .dynamic, targets: ["Weir\($0)Loadable"])
}

let targets: [Target] = [
    .target(name: "CWeir", path: "Core/CWeir", cSettings: cSettings),
    .target(name: "CWeirPlugin", path: "Core/CWeirPlugin", cSettings: cSettings),
    .target(name: "CWeirSockets", path: "Transports/CWeirSockets", cSettings: cSettings),
    .target(name: "CWeirFaults", path: "Tests/CWeirFaults", cSettings: cSettings),
    .executableTarget(
        name: "weir",
        dependencies: [
            "WeirCore", "WeirDispatch", "WeirEQL", "WeirFiles", "WeirFormats", "WeirFraud", "WeirGroups", "WeirLoading",
            "WeirNATS", "WeirQueries", "WeirRecording", "WeirRecords", "WeirReport", "WeirSentiment", "WeirShake",
            "WeirSockets", "WeirState",
            "WeirSystem", "WeirWalk",
        ],
        path: "Plugins/Host",
        swiftSettings: swiftSettings,
        linkerSettings: hardeningSettings + startingSettings
    ),
]

/// What several test targets share, and users have no use for.
let testSupport: [Module] = [
    Module("TestThreads", in: "Tests", needs: ["WeirCore"]),
    Module("TestStreams", in: "Tests", needs: ["WeirCore", "WeirTesting"]),
    Module("TestPlugins", in: "Tests", needs: ["WeirCore", "WeirFormats", "WeirRecords"]),
    Module("TestRecordings", in: "Tests", needs: ["WeirRecording"]),
    Module("TestServers", in: "Tests", needs: ["WeirNATS", "WeirRecords", "WeirSockets"]),
]

let moduleTargets: [Target] = (modules + testSupport).map {
    .target(
        name: $0.name,
        dependencies: $0.dependencies,
        path: $0.path,
        resources: $0.resources,
        swiftSettings: swiftSettings
    )
}

let loadableTargets: [Target] = loadables.map {
    .target(
        name: "Weir\($0)Loadable",
        dependencies: ["CWeirPlugin", "WeirLoading", .target(name: "Weir\($0)")],
        path: "Plugins/PluginLibraries/\($0)",
        swiftSettings: checkedSettings
    )
}

let testTargets: [Target] = tests.map {
    .testTarget(
        name: $0.name,
        dependencies: $0.dependencies,
        path: $0.path,
        exclude: $0.excludes,
        swiftSettings: swiftSettings
    )
}

let allTargets = targets + moduleTargets + loadableTargets + testTargets

// Its libraries are loaded when the tests run, so that no target depends on them.
let loadsLibraries = chosenTests.isEmpty || chosenTests.contains("WeirLoadingTests")

var chosenNames =
    chosenTests.isEmpty
    ? Set(allTargets.map(\.name)) : chosenTests.union(loadsLibraries ? loadableTargets.map(\.name) : [])
var counted = 0
while counted < chosenNames.count {
    counted = chosenNames.count
    for target in allTargets where chosenNames.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { chosenNames.insert(name) }
        for case .targetItem(let name, _) in target.dependencies { chosenNames.insert(name) }
    }
}

let package = Package(
    name: "Weir",
    // What Atomic needs.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: (chosenTests.isEmpty ? products + moduleProducts : []) + (loadsLibraries ? loadableProducts : []),
    targets: allTargets.filter { chosenNames.contains($0.name) },
    cLanguageStandard: .c11
)
