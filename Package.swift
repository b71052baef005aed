// swift-tools-version: 6.2
import PackageDescription

/// One target of the package: where it lives, what it needs, and whether it is a product of its own.
struct Module {
    let name: String
    let folder: String
    let dependencies: [Target.Dependency]
    let resources: [Resource]

    init(
        _ name: String,
        in folder: String,
        needs dependencies: [Target.Dependency],
        resources: [Resource] = []
    ) {
        self.name = name
        self.folder = folder
        self.dependencies = dependencies
        self.resources = resources
    }

    var path: String { "\(folder)/\(name)" }
}

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
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

/// The Swift modules that users pick, one product each.
let modules: [Module] = [
    Module("WeirCore", in: "Core", needs: ["CWeir"]),
    Module("WeirTesting", in: "Core", needs: ["WeirCore"]),
    Module("WeirExpressions", in: "Core", needs: []),
    Module("WeirSelection", in: "Operators", needs: ["WeirCore", "WeirExpressions"]),
    Module("WeirSequences", in: "Operators", needs: ["WeirCore", "WeirExpressions"]),
    Module("WeirLogic", in: "Operators", needs: ["WeirCore"]),
    Module("WeirFlow", in: "Operators", needs: ["WeirCore"]),
    Module("WeirCreation", in: "Operators", needs: ["WeirCore"]),
    Module("WeirAggregates", in: "Operators", needs: ["WeirCore"]),
    Module("WeirWindows", in: "Operators", needs: ["WeirAggregates", "WeirCore"]),
    Module("WeirFormats", in: "Transports", needs: ["WeirCore"]),
    Module("WeirFiles", in: "Transports", needs: ["WeirCore"]),
    Module("WeirRecording", in: "Transports", needs: ["WeirCore"]),
    Module("WeirDecodable", in: "Transports", needs: ["WeirCore", "WeirFormats"]),
    Module("WeirShake", in: "Plugins", needs: ["WeirCore", "WeirFlow", "WeirSelection", "WeirSequences"]),
    Module(
        "WeirSentiment",
        in: "Plugins",
        needs: ["WeirAggregates", "WeirCore", "WeirFiles", "WeirSelection"],
        // In the code, because reading it from a bundle would take Foundation.
        resources: [.embedInCode("Resources/words.txt")]
    ),
    Module("WeirWalk", in: "Plugins", needs: ["WeirCore", "WeirFlow", "WeirSelection"]),
]

/// One test target per module that has tests; `Tests/<name>Tests` mirrors the tree.
let tests: [Module] = [
    Module("CWeirTests", in: "Tests", needs: ["CWeir", "TestThreads"]),
    Module("WeirCoreTests", in: "Tests", needs: ["TestThreads", "WeirCore", "WeirTesting"]),
    Module("WeirExpressionsTests", in: "Tests", needs: ["WeirCore", "WeirExpressions", "WeirTesting"]),
    Module("WeirSelectionTests", in: "Tests", needs: ["WeirCore", "WeirExpressions", "WeirSelection", "WeirTesting"]),
    Module(
        "WeirSequencesTests",
        in: "Tests",
        needs: ["TestStreams", "WeirCore", "WeirExpressions", "WeirSequences", "WeirTesting"]
    ),
    Module(
        "WeirLogicTests",
        in: "Tests",
        needs: ["TestStreams", "TestThreads", "WeirCore", "WeirLogic", "WeirSequences", "WeirTesting"]
    ),
    Module(
        "WeirFlowTests",
        in: "Tests",
        needs: ["WeirCore", "WeirFlow", "WeirSelection", "WeirSequences", "WeirTesting"]
    ),
    Module("WeirCreationTests", in: "Tests", needs: ["WeirCore", "WeirCreation", "WeirTesting"]),
    Module("WeirAggregatesTests", in: "Tests", needs: ["WeirAggregates", "WeirCore", "WeirTesting"]),
    Module("WeirWindowsTests", in: "Tests", needs: ["WeirAggregates", "WeirCore", "WeirTesting", "WeirWindows"]),
    Module("WeirFormatsTests", in: "Tests", needs: ["WeirCore", "WeirFormats", "WeirTesting"]),
    Module("WeirFilesTests", in: "Tests", needs: ["WeirCore", "WeirFiles"]),
    Module("WeirDecodableTests", in: "Tests", needs: ["WeirCore", "WeirDecodable", "WeirFormats", "WeirTesting"]),
    Module("WeirRecordingTests", in: "Tests", needs: ["WeirCore", "WeirRecording", "WeirTesting"]),
    Module("WeirShakeTests", in: "Tests", needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirShake"]),
    Module("WeirSentimentTests", in: "Tests", needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirSentiment"]),
    Module("WeirWalkTests", in: "Tests", needs: ["TestPlugins", "WeirCore", "WeirFormats", "WeirWalk"]),
    Module("HostTests", in: "Tests", needs: ["weir", "WeirCore"]),
    Module("ReadmeTests", in: "Tests", needs: ["WeirCore", "WeirSelection", "WeirSequences"]),
]

let package = Package(
    name: "Weir",
    products: [.library(name: "CWeir", targets: ["CWeir"]), .executable(name: "weir", targets: ["weir"])]
        + modules.map { .library(name: $0.name, targets: [$0.name]) },
    targets: [
        .target(name: "CWeir", path: "Core/CWeir", cSettings: cSettings),
        // What several test targets share, and users have no use for.
        .target(name: "TestThreads", path: "Tests/TestThreads", swiftSettings: swiftSettings),
        .target(
            name: "TestStreams",
            dependencies: ["WeirCore", "WeirTesting"],
            path: "Tests/TestStreams",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "TestPlugins",
            dependencies: ["WeirCore", "WeirFormats"],
            path: "Tests/TestPlugins",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "weir",
            dependencies: ["WeirCore", "WeirFormats", "WeirFiles", "WeirSentiment", "WeirShake", "WeirWalk"],
            path: "Plugins/Host",
            swiftSettings: swiftSettings
        ),
    ]
        + modules.map {
            .target(
                name: $0.name,
                dependencies: $0.dependencies,
                path: $0.path,
                resources: $0.resources,
                swiftSettings: swiftSettings
            )
        }
        + tests.map {
            .testTarget(name: $0.name, dependencies: $0.dependencies, path: $0.path, swiftSettings: swiftSettings)
        },
    cLanguageStandard: .c11
)
