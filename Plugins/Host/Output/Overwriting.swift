internal import WeirCore
internal import WeirFiles

/// Makes sure that opening the outputs empties nothing that is still needed.
enum Overwriting {
    /// Checks that the outputs are not an input, nor each other.
    ///
    /// - Parameters:
    ///   - inputs: What is read.
    ///   - outputs: What is written.
    ///   - rejected: Where rejected lines go.
    ///   - report: Where a report goes.
    /// - Throws: ``HostError`` when one of them would be overwritten.
    static func check(
        inputs: [Address],
        outputs: [Address],
        rejected: Address?,
        report: Address? = nil
    ) throws(HostError) {
        let inputFiles = inputs.compactMap { identity($0, standard: .input) }
        var outputFiles: [FileIdentity] = []
        for (index, output) in outputs.enumerated() {
            guard !outputs[..<index].contains(where: { $0.name == output.name }) else {
                throw .usage("--to: '\(output.name)' is given twice; give it once")
            }
            guard let file = identity(output, standard: .output) else { continue }
            if inputFiles.contains(file) {
                let name = output.name == "stdout" ? "standard output" : "--to: '\(output.path)'"
                throw .usage("\(name) is the input, which would be overwritten; write to another file")
            }
            guard !outputFiles.contains(file) else {
                throw .usage("--to: '\(output.name)' is another output too; write to two files")
            }
            outputFiles.append(file)
        }
        if let report {
            let file = identity(report, standard: .output)
            let isTaken = report.name == rejected?.name || outputs.contains { $0.name == report.name }
            guard !isTaken, file.map({ !inputFiles.contains($0) && !outputFiles.contains($0) }) ?? true else {
                throw .usage("--report: '\(report.name)' is used for something else already; write to another file")
            }
        }
        guard let rejected else { return }
        if let output = outputs.first(where: { $0.name == rejected.name }) {
            throw .usage("--rejected and --to are the same, '\(output.name)'; write to two files")
        }
        guard let file = identity(rejected, standard: .output) else { return }
        let other = inputFiles.contains(file) ? "the input" : outputFiles.contains(file) ? "the output" : nil
        if let other {
            throw .usage(
                "--rejected: '\(rejected.name)' is \(other), which would be overwritten; write to another file"
            )
        }
    }

    private static func identity(_ address: Address, standard: StandardStream) -> FileIdentity? {
        address.isFile || address.isRecording
            ? FileIdentity(path: address.path)
            : ["stdin", "stdout"].contains(address.transport.scheme) ? FileIdentity(standard) : nil
    }
}
