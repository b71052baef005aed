internal import WeirCore
internal import WeirFiles
internal import WeirRecords
internal import WeirSystem

/// Checks what surrounds the program: `weir doctor`.
struct DoctorCommand: Command {
    static let name = "doctor"
    static let operands = ""
    static let summary = "Check limits, buffers and permissions that runs need"
    static let examples: [HelpPage.Example] = [("weir doctor", "")]
    static let usage = ["weir doctor"]
    static let remark = """
        The exit code is 1 where something should be changed.
        """

    private struct Finding {
        let isGood: Bool
        let name: String
        let text: String
    }

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        let arguments = try Arguments(words, of: Self.self)
        if let place = arguments.places.first { throw .usage("'\(place)' means nothing here") }
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode {
        let findings = [descriptors(), receiveBuffer(), controlFolder(), library()].compactMap { $0 }
        let rows = findings.map { (($0.isGood ? "ok    " : "CHANGE") + "  " + $0.name, $0.text) }
        let code = try context.show(Table.text(rows, leftWidth: 30))
        return findings.allSatisfy(\.isGood) ? code : .inputRejected
    }

    private func descriptors() -> Finding {
        let limit = SystemLimits.openFiles
        return Finding(
            isGood: limit >= 1024,
            name: "open files",
            text: limit >= 1024
                ? "up to \(Quantity.grouped(limit))"
                : "only \(limit) at a time; raise it with 'ulimit -n 4096' for many connections"
        )
    }

    private func receiveBuffer() -> Finding? {
        let path = "/proc/sys/net/core/rmem_max"
        guard let text = try? FileTransport().openSource(path).readAll(limit: 64, address: path),
            let size = Int(String(decoding: text.filter { $0 > 32 }, as: UTF8.self))
        else { return nil }
        // At 100,000 datagrams of 256 bytes a second, four MiB last for a tenth of a second and more.
        let isGood = size >= 4 << 20
        return Finding(
            isGood: isGood,
            name: "receive buffers",
            text: isGood
                ? "up to \(size) bytes"
                : "up to \(size) bytes, too few for fast UDP senders; 'sysctl -w net.core.rmem_max=8388608' allows more"
        )
    }

    private func controlFolder() -> Finding {
        guard let folder = ControlSocket.privateFolder() else {
            return Finding(
                isGood: false,
                name: "control socket",
                text: "its folder cannot be made, or others can enter it; set XDG_RUNTIME_DIR to a folder of mode 0700"
            )
        }
        return Finding(isGood: true, name: "control socket", text: "in '\(folder)'")
    }

    private func library() -> Finding? {
        let isRoot = ProgramEnvironment.userNumber == 0
        return Finding(
            isGood: true,
            name: "user",
            text: isRoot
                ? "root; nothing here needs that, another user is safer" : "number \(ProgramEnvironment.userNumber)"
        )
    }
}
