import Foundation
import Testing

/// What must not compile, does not: the compiler is asked.
@Suite(.enabled(if: Compiler.isThere, "there is no swiftc, or the modules are elsewhere"))
struct TypeMistakeTests {
    private static let preamble = """
        import WeirExpressions
        import WeirSchemas

        struct Reading: Sendable {
            var celsius: Double
            var station: String
            var number: Int
            var note: String?
        }

        func condition<E: ElementExpression>(_: (Row<Reading>) -> Term<E>) where E.Root == Reading, E.Value == Bool {}
        func number<E: ElementExpression>(_: (Row<Reading>) -> Term<E>) where E.Root == Reading, E.Value == Double {}
        func pairs<E: TypedExpression>(_: (PreviousRow<Reading>, Row<Reading>) -> Term<E>)
        where E.Root == Reading, E.Value == Bool {}


        """

    @Test func whatIsRightCompiles() throws {
        let right = """
            condition { $0.celsius > 30 && $0.station == "north" }
            number { $0.celsius * 1.8 + 32 }
            pairs { previous, current in abs(previous.celsius - current.celsius) > 5 }
            condition { real($0.number) > $0.celsius }
            condition { between($0.celsius, 0...1) && isIn($0.station, ["a"]) }
            let schema = EventSchema<Reading>("Reading", .field("celsius", \\.celsius), .field("note", \\.note))
            let always = try schema.condition(.literal(true))
            condition { always($0) && $0.celsius > 30 }
            let celsius = try schema.field("celsius", as: Double.self)
            number { celsius($0) * 2 }
            """
        #expect(try Compiler.accepts(Self.preamble + right))
    }

    @Test(arguments: [
        #"condition { $0.celsius > "warm" }"#,
        #"condition { $0.celsius > $0.station }"#,
        #"condition { $0.celsius > $0.number }"#,
        #"condition { $0.fahrenheit > 30 }"#,
        #"condition { $0.celsius + 1 }"#,
        #"condition { $0.celsius && $0.number > 1 }"#,
        #"number { $0.celsius > 30 }"#,
        #"condition { $0.note > "a" }"#,
        #"condition { PreviousRow<Reading>().celsius > 30 }"#,
        #"condition { hasPrefix($0.number, "1") }"#,
        #"condition { isIn($0.number, ["1"]) }"#,
        #"condition { abs($0.station) > 1 }"#,
        #"condition { real($0.station) > 1 }"#,
        #"condition { real($0.number) > $0.number }"#,
        #"condition { between($0.celsius, "a"..."b") }"#,
        #"condition { min($0.celsius, $0.number) > 1 }"#,
        #"condition { isPresent($0.celsius) > 1 }"#,
        #"condition { contains($0.note, "a") }"#,
        #"_ = EventSchema<Reading>("Reading", .field("list", \.self))"#,
        #"_ = EventSchema<Reading>("Reading", .field("celsius", \String.count))"#,
        #"let schema = EventSchema<Reading>("Reading"); let pair = try schema.pairCondition(.literal(true)); condition { pair($0) }"#,
    ])
    func mistakesDoNot(mistake: String) throws {
        #expect(try !Compiler.accepts(Self.preamble + mistake))
    }
}

private enum Compiler {
    /// What this build made, beside the test program.
    private static let products = Bundle.main.executableURL?.deletingLastPathComponent()
    private static let modules = products?.appending(path: "Modules")
    private static let moduleMap = products?.appending(path: "CWeir.build/module.modulemap")

    private static let swiftc = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { "\($0)/swiftc" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static let isThere =
        swiftc != nil
        && modules.map { directory in
            FileManager.default.fileExists(atPath: directory.appending(path: "WeirExpressions.swiftmodule").path)
        } == true
        && moduleMap.map { FileManager.default.fileExists(atPath: $0.path) } == true

    static func accepts(_ source: String) throws -> Bool {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID()).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: try #require(swiftc))
        process.arguments = [
            "-typecheck", "-swift-version", "6", "-I", try #require(modules).path,
            "-Xcc", "-fmodule-map-file=\(try #require(moduleMap).path)", file.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
