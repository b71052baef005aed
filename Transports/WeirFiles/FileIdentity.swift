/// The file that a path or a stream stands for, to find out whether an output would overwrite an input.
public struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let node: UInt64

    /// The identity of the file at a path; `nil` where there is none, or it is not a regular file.
    public init?(path: String) {
        self.init(SystemCalls.facts(about: path))
    }

    /// The identity of the file that a stream is redirected to or from; `nil` where it is anything else.
    public init?(_ stream: StandardStream) {
        self.init(SystemCalls.facts(about: stream.rawValue))
    }

    /// The identity of the folder at a path; `nil` where there is none.
    package init?(folder path: String) {
        guard let facts = SystemCalls.facts(about: path), facts.kind == .directory else { return nil }
        device = facts.device
        node = facts.node
    }

    private init?(_ facts: SystemCalls.Facts?) {
        guard let facts, facts.kind == .regularFile else { return nil }
        device = facts.device
        node = facts.node
    }
}
