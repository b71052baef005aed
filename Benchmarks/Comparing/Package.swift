// swift-tools-version: 6.2
import PackageDescription

// What the suites share, apart from them: it needs no other package, so that its tests take seconds and run offline.

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Comparing",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Comparing", targets: ["Comparing", "Reporting"])],
    targets: [
        .target(name: "Comparing", path: "Comparing", swiftSettings: swiftSettings),
        .target(name: "Reporting", dependencies: ["Comparing"], path: "Reporting", swiftSettings: swiftSettings),
        .testTarget(
            name: "ReportingTests",
            dependencies: ["Comparing", "Reporting"],
            path: "Tests",
            swiftSettings: swiftSettings
        ),
    ]
)
