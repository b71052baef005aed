import Foundation
import Testing

/// Signals stay where they were made: the compiler is asked.
@Suite(.enabled(if: Compiler.isThere, "there is no swiftc, or the modules are elsewhere"))
struct ConfinementTests {
    @Test func whatStaysCompiles() throws {
        let right = """
            @MainActor final class Screen {
                let number = MutableSignal(0)
                func follow(_ numbers: Multicast<Int>) -> Signal<Int> { numbers.signal(initial: 0).map { $0 + 1 } }
            }
            func host(_ numbers: Multicast<Int>) {
                numbers.hostSignals(initial: 0) { number, _ in Signal { number() + 1 } }
            }
            @Observable @MainActor final class Model { var count = 0 }
            @MainActor func observe(_ model: Model) -> Signal<Int> { Signal(observing: model, \\.count) }
            func local() { let number = MutableSignal(0); number.value = 1 }
            """
        #expect(try Compiler.accepts(right))
    }

    @Test(arguments: [
        // Nowhere to set it.
        "func follow(_ numbers: Multicast<Int>) { _ = numbers.signal(initial: 0) }",
        // From an actor to nowhere.
        """
        @MainActor final class Screen {
            let number = MutableSignal(0)
            func leak() { let number = number; Task.detached { number.value = 1 } }
        }
        """,
        // Used here and there.
        """
        func share() {
            let number = MutableSignal(0)
            let next = number.map { $0 + 1 }
            Task.detached { number.value = 1 }
            _ = next()
        }
        """,
        // An object of no actor.
        """
        @Observable final class Model { var count = 0 }
        func observe(_ model: Model) { _ = Signal(observing: model, \\.count) }
        """,
        // An object of another actor.
        """
        @Observable @MainActor final class Model { var count = 0 }
        actor Other { func observe(_ model: Model) { _ = Signal(observing: model, \\.count) } }
        """,
        // Into the context of a stream.
        """
        func host(_ numbers: Multicast<Int>) {
            let outside = MutableSignal(1)
            numbers.hostSignals(initial: 0) { number, _ in Signal { number() + outside() } }
        }
        """,
    ])
    func whatLeavesDoesNot(mistake: String) throws {
        #expect(try !Compiler.accepts(mistake))
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
            FileManager.default.fileExists(atPath: directory.appending(path: "WeirSignals.swiftmodule").path)
        } == true
        && moduleMap.map { FileManager.default.fileExists(atPath: $0.path) } == true

    static func accepts(_ source: String) throws -> Bool {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID()).swift")
        let imports = "import Observation\nimport WeirCore\nimport WeirSignals\n\n"
        try (imports + source).write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: try #require(swiftc))
        // What is sent where is checked after the types are.
        process.arguments = [
            "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", try #require(modules).path,
            "-Xcc", "-fmodule-map-file=\(try #require(moduleMap).path)", file.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
