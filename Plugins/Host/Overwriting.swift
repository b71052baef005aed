internal import WeirFiles

/// Makes sure that opening the outputs empties nothing that is still needed.
enum Overwriting {
    /// Checks that the outputs are not the input, nor each other.
    ///
    /// - Parameters:
    ///   - input: What is read; `nil` where it is made up.
    ///   - output: What is written.
    ///   - rejected: Where rejected lines go.
    ///   - report: Where a report goes.
    /// - Throws: ``HostError`` when one of them would be overwritten.
    static func check(
        input: Address?,
        output: Address,
        rejected: Address?,
        report: Address? = nil
    ) throws(HostError) {
        let inputFile = input.flatMap { identity($0, standard: .input) }
        let outputFile = identity(output, standard: .output)
        if let outputFile, outputFile == inputFile {
            let name = output.isFile ? "--to: '\(output.path)'" : "standard output"
            throw .usage("\(name) is the input, which would be overwritten; write to another file")
        }
        if let report {
            let reportFile = identity(report, standard: .output)
            let isTaken = report.name == output.name || report.name == rejected?.name
            guard !isTaken, reportFile == nil || reportFile != inputFile && reportFile != outputFile else {
                throw .usage("--report: '\(report.name)' is used for something else already; write to another file")
            }
        }
        guard let rejected else { return }
        guard rejected.name != output.name else {
            throw .usage("--rejected and --to are the same, '\(output.name)'; write to two files")
        }
        guard let rejectedFile = identity(rejected, standard: .output) else { return }
        let other = rejectedFile == inputFile ? "the input" : rejectedFile == outputFile ? "the output" : nil
        if let other {
            throw .usage(
                "--rejected: '\(rejected.name)' is \(other), which would be overwritten; write to another file"
            )
        }
    }

    private static func identity(_ address: Address, standard: StandardStream) -> FileIdentity? {
        address.isFile ? FileIdentity(path: address.path) : FileIdentity(standard)
    }
}
