/// The files of a new plugin's package.
struct PluginTemplate {
    /// The plugin's name, such as `hot-spots`.
    let name: String

    /// Where Weir's package is: an absolute path without links.
    let weirPath: String

    /// The name of its types, such as `HotSpots`.
    var typeName: String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// What the package manager calls Weir's package.
    var weirName: String { weirPath.split(separator: "/").last.map(String.init) ?? "weir" }

    /// How the name of a library ends.
    static var librarySuffix: String {
        #if canImport(Darwin)
            "dylib"
        #else
            "so"
        #endif
    }

    /// What there is to write, by path within the package's folder.
    var files: [(path: String, text: String)] {
        [
            ("README.md", readme),
            ("Package.swift", manifest),
            ("Sources/\(typeName)/\(typeName)Plugin.swift", plugin),
            ("Sources/\(typeName)Loadable/Entry.swift", entry),
            ("Tests/\(typeName)Tests/\(typeName)Tests.swift", tests),
            (".gitignore", ".build/\n"),
        ]
    }

    /// A text as Swift writes it.
    private static func literal(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private var readme: String {
        """
        # \(name)

        A plugin for Weir: reports readings above a limit.

            swift test
            swift build -c release
            weir run .build/release/lib\(typeName)Plugin.\(Self.librarySuffix) --from demo
            weir run .build/release/lib\(typeName)Plugin.\(Self.librarySuffix) readings.csv --limit 40

        - `Sources/\(typeName)` is the plugin: its options, its events, what it looks for, and its demo. Start here.
        - `Sources/\(typeName)Loadable` makes it a library that `weir` loads; programs in Swift link `\(typeName)` instead.
        - `Tests/\(typeName)Tests` runs it on a few lines; its input and what it expects change with the plugin.

        A plugin runs within the process of `weir`: one that crashes ends the run, and the matches of the batch of records
        at hand are lost; those of earlier batches were written. `weir` refuses a library that was built for another version
        of the interface, and says so: build it again.

        """
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let weir = \(Self.literal(weirName))

        let package = Package(
            name: "\(name)",
            products: [
                // For hosts that link the plugin, and for hosts that load it: weir run .build/release/lib\(typeName)Plugin.so
                .library(name: "\(typeName)", targets: ["\(typeName)"]),
                .library(name: "\(typeName)Plugin", type: .dynamic, targets: ["\(typeName)Loadable"]),
            ],
            dependencies: [.package(path: \(Self.literal(weirPath)))],
            targets: [
                .target(
                    name: "\(typeName)",
                    dependencies: [
                        .product(name: "WeirCore", package: weir), .product(name: "WeirRecords", package: weir),
                        .product(name: "WeirSelection", package: weir),
                    ]
                ),
                .target(
                    name: "\(typeName)Loadable",
                    dependencies: [
                        "\(typeName)", .product(name: "CWeirPlugin", package: weir),
                        .product(name: "WeirLoading", package: weir),
                    ]
                ),
                .testTarget(
                    name: "\(typeName)Tests",
                    dependencies: [
                        "\(typeName)", .product(name: "WeirFormats", package: weir),
                        .product(name: "WeirRecords", package: weir),
                    ]
                ),
            ]
        )

        """
    }

    private var plugin: String {
        """
        import WeirCore
        import WeirRecords
        import WeirSelection

        /// Reports readings above a limit.
        public struct \(typeName)Plugin: Plugin {
            public let name = "\(name)"
            public let summary = "Reports readings above a limit."

            public let options = [
                OptionDeclaration("limit", .number(), default: "30", help: "report what is above this")
            ]

            public let examples = [(arguments: "\(name) --from demo", meaning: "try it on made-up readings")]

            public init() {}

            public func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
                let limit = options.number("limit")
                let readings = RecordSource(decoding: Reading.self)
                readings.filter { $0.value > limit }.attach(output.sink())
                return readings.consumer()
            }

            public func graph(_ options: OptionValues) -> PluginGraph {
                var graph = PluginGraph()
                let readings = graph.add("readings", .source)
                let high = graph.add("filter: above \\(options.number("limit"))", .step, after: readings)
                graph.add("high readings", .sink, after: high)
                return graph
            }

            public func makeDemo(seed: UInt64) -> any TransportSource {
                var random = SeededGenerator(seed: seed)
                var rows = "time,value\\n"
                for second in 0..<60 { rows += "\\(second * 1000),\\(20 + 5 * random.nextNoise())\\n" }
                return ByteSource(Array(rows.utf8))
            }
        }

        /// A row of the input, and a line of the output.
        struct Reading: Event, FieldDecodable, FieldEncodable {
            enum Key: Int, FieldKey { case time, value }

            let timestamp: Timestamp
            let value: Double

            init(from record: borrowing FieldReader<Key>) throws(FieldError) {
                timestamp = try record.timestamp(.time)
                value = try record.double(.value)
            }

            func encode(to writer: inout FieldWriter) {
                writer.write("time", timestamp, as: .number(.milliseconds))
                writer.write("value", value)
            }
        }

        """
    }

    private var entry: String {
        """
        import CWeirPlugin
        import \(typeName)
        import WeirLoading

        private let export = PluginExport(\(typeName)Plugin())

        /// What a host calls when it loads this library.
        @c(weir_plugin_entry) @implementation
        public func weir_plugin_entry(_ hostVersion: UInt32) -> UnsafePointer<weir_plugin>? {
            export.table
        }

        """
    }

    private var tests: String {
        """
        import \(typeName)
        import Testing
        import WeirFormats
        import WeirRecords

        @Test func reportsReadingsAboveTheLimit() throws {
            let plugin = \(typeName)Plugin()
            let output = MatchOutput()
            let consumer = try plugin.start(OptionValues(plugin.options, given: ["limit": "10"]), output: output)
            let input = ByteSource(Array("time,value\\n0,10\\n1000,11.5\\n".utf8))
            var reader = RecordReader(input, format: CSVFormat(), schema: consumer.schema)
            while try reader.next({ consumer.receive(&$0) }) {}
            consumer.finish(.finished)

            var lines: [UInt8] = []
            output.take { bytes in for index in bytes.indices { lines.append(bytes[index]) } }
            #expect(String(decoding: lines, as: UTF8.self) == "{\\"time\\":1000,\\"value\\":11.5}\\n")
        }

        """
    }
}
