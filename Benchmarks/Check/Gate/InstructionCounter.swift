internal import Foundation

/// A way to count the instructions that a program executes.
enum InstructionCounter: String {
    /// The processor's own counter.
    case perf
    /// A simulation; slower by a factor of 50, and there on virtual machines, too.
    case valgrind

    /// The first that works here.
    static func available() throws -> InstructionCounter? {
        if try InstructionCounter.perf.count(["true"]) != nil { return .perf }
        return try InstructionCounter.valgrind.count(["true"]) != nil ? .valgrind : nil
    }

    /// Runs a program.
    ///
    /// - Parameter arguments: The program and its arguments.
    /// - Returns: The instructions, outside the kernel; `nil` when they cannot be counted or the program fails.
    /// - Throws: When the counter cannot be started.
    func count(_ arguments: [String]) throws -> Double? {
        let tool =
            switch self {
            case .perf: ["perf", "stat", "-x", ",", "-e", "instructions:u", "--"]
            case .valgrind: ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            }
        let output = try Program.run(tool + arguments)
        guard output.status == 0 else { return nil }
        for line in output.messages.split(separator: "\n") {
            switch self {
            case .perf:
                // "1234,,instructions:u,…", or "<not supported>" in place of the number.
                guard line.contains("instructions"), let field = line.split(separator: ",").first else { continue }
                return Double(field)
            case .valgrind:
                // "==1== Collected : 1234"
                guard let range = line.range(of: "Collected :") else { continue }
                return Double(line[range.upperBound...].trimmingCharacters(in: .whitespaces))
            }
        }
        return nil
    }
}
