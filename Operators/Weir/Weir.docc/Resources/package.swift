// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "logins",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../weir")],
    targets: [
        .target(
            name: "Logins",
            dependencies: [
                .product(name: "WeirCore", package: "weir"),
                .product(name: "WeirPatterns", package: "weir"),
            ]
        ),
        .testTarget(
            name: "LoginsTests",
            dependencies: ["Logins", .product(name: "WeirTesting", package: "weir")]
        ),
    ]
)
