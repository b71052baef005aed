// swift-tools-version: 6.2
import PackageDescription

// What `Benchmarks/check` builds: apart from the suites, so that it takes no package but Weir itself and runs offline.

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func weir(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "Weir") }
}

let package = Package(
    name: "WeirCheck",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Weir", path: "../..")],
    targets: [
        // A link to the folder of the suites: one generator for all.
        .target(
            name: "CommonStream",
            dependencies: weir("WeirCore", "WeirRecords"),
            path: "CommonStream",
            swiftSettings: swiftSettings
        ),
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
            path: "HotPaths",
            swiftSettings: swiftSettings
        ),
        .executableTarget(name: "gate", path: "Gate", swiftSettings: swiftSettings),
    ]
)
