internal import Foundation

/// Fails when a hot path executes over 10 % more instructions than its baseline, by itself or compared with its limit, or
/// when memory grows with a stream.
///
///     gate HOTPATHS BASELINE [--write]
@main
enum Gate {
    static func main() {
        do {
            let failures = try run()
            for failure in failures { FileHandle.standardError.write(Data("check: \(failure)\n".utf8)) }
            exit(failures.isEmpty ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("check: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func run() throws -> [String] {
        let arguments = CommandLine.arguments.dropFirst()
        guard 2...3 ~= arguments.count, arguments.count == 2 || arguments.last == "--write" else {
            throw GateError(description: "usage: gate HOTPATHS BASELINE [--write]")
        }
        let (hotPaths, baseline) = (arguments[1], arguments[2])
        let failures = try checkInstructions(hotPaths, baseline, writes: arguments.count == 3)
        return try failures + MemoryGrowth.check(hotPaths)
    }

    private static func checkInstructions(_ hotPaths: String, _ path: String, writes: Bool) throws -> [String] {
        guard let counter = try InstructionCounter.available() else {
            print("instructions cannot be counted: neither perf stat nor valgrind works here: skipped")
            return []
        }
        let compiler = try compilerVersion()
        if !writes {
            let baseline = try Baseline(contentsOf: path)
            guard baseline.architecture == architecture, baseline.compiler == compiler else {
                print(
                    "the baseline is that of \(baseline.compiler) on \(baseline.architecture), this is \(compiler) on "
                        + "\(architecture): instructions are not compared (Benchmarks/check --write makes a baseline)"
                )
                return []
            }
            print("instructions per event (\(counter)), and how many times those of the loop by hand")
            return Instructions.compare(
                try Instructions(hotPaths: hotPaths, counter: counter).measure(),
                with: baseline
            )
        }
        let measured = try Instructions(hotPaths: hotPaths, counter: counter).measure()
        print("instructions per event (\(counter)), written as the baseline")
        Instructions.list(measured, replacing: try? Baseline(contentsOf: path))
        try Baseline(
            architecture: architecture,
            compiler: compiler,
            hotPaths: Dictionary(uniqueKeysWithValues: measured.map { ($0.name, $0.cost) })
        ).write(to: path)
        return []
    }

    /// Such as "Swift version 6.3.1".
    private static func compilerVersion() throws -> String {
        let text = try Program.run(["swift", "--version"]).text
        guard let range = text.range(of: #"Swift version [0-9.]+"#, options: .regularExpression) else {
            throw GateError(description: "'swift --version' does not tell a version")
        }
        return String(text[range])
    }

    private static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "another processor"
        #endif
    }
}
