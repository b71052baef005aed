// swift-tools-version: 6.2
import PackageDescription

// What a first program costs to build: `Benchmarks/build-time` measures it.
let package = Package(
    name: "BuildTime",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Weir", path: "../..")],
    targets: [
        .executableTarget(
            name: "Program",
            dependencies: [
                .product(name: "WeirCore", package: "Weir"), .product(name: "WeirPatterns", package: "Weir"),
            ]
        )
    ]
)
