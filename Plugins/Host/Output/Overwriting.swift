internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// Makes sure that opening the outputs empties nothing that is still needed.
enum Overwriting {
    /// A file, which may not be there yet.
    enum Identity: Hashable {
        case file(FileIdentity)
        /// One that opening makes.
        case new(folder: FileIdentity, name: String)
    }

    /// Checks that the outputs are not an input, nor each other.
    ///
    /// - Throws: ``HostError`` when one of them would be overwritten.
    static func check(
        inputs: [Address],
        outputs: [Address],
        rejected: Address?,
        late: Address? = nil,
        report: Address? = nil
    ) throws(HostError) {
        // `/dev/null` keeps nothing, so any number may write there.
        func kept(_ address: Address?) -> Address? { address.flatMap { $0.path == "/dev/null" ? nil : $0 } }
        let (outputs, rejected, late, report) = (outputs.compactMap(kept), kept(rejected), kept(late), kept(report))
        let inputFiles = inputs.compactMap { identity($0, standard: .input) }
        var outputFiles: [Identity] = []
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
            let keepers = [rejected, late].compactMap { $0 }
            let isTaken = (keepers + outputs).contains { $0.name == report.name }
            let others = inputFiles + outputFiles + keepers.map { identity($0, standard: .output) }
            guard !isTaken, file == nil || !others.contains(file) else {
                throw .usage("--report: '\(report.name)' is used for something else already; write to another file")
            }
        }
        if let rejected { try check("--rejected", rejected, beside: inputFiles, outputs, outputFiles) }
        guard let late else { return }
        try check("--late", late, beside: inputFiles, outputs, outputFiles)
        guard let rejected else { return }
        let file = identity(late, standard: .output)
        guard late.name != rejected.name, file == nil || file != identity(rejected, standard: .output) else {
            throw .usage("--late and --rejected are the same, '\(late.name)'; write to two files")
        }
    }

    /// Checks that a file that keeps lines is neither an input nor an output.
    private static func check(
        _ option: String,
        _ address: Address,
        beside inputFiles: [Identity],
        _ outputs: [Address],
        _ outputFiles: [Identity]
    ) throws(HostError) {
        if let output = outputs.first(where: { $0.name == address.name }) {
            throw .usage("\(option) and --to are the same, '\(output.name)'; write to two files")
        }
        guard let file = identity(address, standard: .output) else { return }
        let other = inputFiles.contains(file) ? "the input" : outputFiles.contains(file) ? "the output" : nil
        if let other {
            throw .usage(
                "\(option): '\(address.name)' is \(other), which would be overwritten; write to another file"
            )
        }
    }

    /// Checks that a file that is replaced again and again is none that is read or written otherwise.
    ///
    /// - Throws: ``HostError`` when it is one of theirs.
    static func check(
        metrics: String,
        configuration: String?,
        beside requests: [RunRequest]
    ) throws(HostError) {
        guard let file = identity(ofPath: metrics) else { return }
        var others = [configuration.flatMap { identity(ofPath: $0) }]
        for request in requests {
            others += request.inputAddresses.map { identity($0, standard: .input) }
            others += request.namedOutputs.map { identity($0.address, standard: .output) }
        }
        guard !others.contains(file) else {
            throw .usage("--metrics: '\(metrics)' is used for something else already; write to another file")
        }
    }

    /// Which file an address stands for; `nil` where it is none, such as a socket or a device.
    static func identity(_ address: Address, standard: StandardStream) -> Identity? {
        address.isFile || address.isRecording
            ? identity(ofPath: address.path)
            : ["stdin", "stdout"].contains(address.transport.scheme) ? FileIdentity(standard).map(Identity.file) : nil
    }

    /// Which file a path stands for; `nil` where something else is there, or its folder is not.
    static func identity(ofPath path: String) -> Identity? {
        if let file = FileIdentity(path: path) { return .file(file) }
        guard !FileSystem.exists(path), let whole = FileSystem.wholePath(path), let slash = whole.lastIndex(of: "/"),
            let folder = FileIdentity(folder: String(whole[...slash]))
        else { return nil }
        return .new(folder: folder, name: String(whole[whole.index(after: slash)...]))
    }
}
