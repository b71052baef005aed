internal import WeirCore
internal import WeirFiles
internal import WeirSystem

/// Checks what surrounds the program: `weir doctor`.
struct DoctorCommand {
    private struct Finding {
        let isGood: Bool
        let name: String
        let text: String
    }

    static var page: String {
        """
        Checks limits, receive buffers and permissions that runs depend on.

        Examples:
          weir doctor

        Usage: weir doctor

        The exit code is 1 where something should be changed.

        """
    }

    /// Reads what follows `weir doctor`.
    init(_ words: [String]) throws(HostError) {
        let arguments = try Arguments(words, names: [("help", false)], topic: "doctor")
        if let place = arguments.places.first { throw .usage("'\(place)' means nothing here") }
    }

    /// Checks.
    ///
    /// - Returns: What was found, for people, and whether all is well.
    func run() -> (text: String, isGood: Bool) {
        let findings = [descriptors(), receiveBuffer(), controlFolder(), library()].compactMap { $0 }
        let rows = findings.map { (($0.isGood ? "ok    " : "CHANGE") + "  " + $0.name, $0.text) }
        return (Table.text(rows, leftWidth: 30), findings.allSatisfy(\.isGood))
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
