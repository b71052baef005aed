internal import Foundation

/// A committed file that an earlier version has written.
public struct GoldenFile {
    private let url: URL

    /// - Parameters:
    ///   - name: Of the file, in the folder `Golden` beside the test.
    ///   - test: The file of the test.
    public init(_ name: String, beside test: String = #filePath) {
        url = URL(fileURLWithPath: test).deletingLastPathComponent().appending(path: "Golden/\(name)")
    }

    /// The bytes of the file; with `WEIR_GOLDEN` in the environment, it is made of these first.
    public func bytes(orMade bytes: [UInt8]) throws -> [UInt8] {
        if ProcessInfo.processInfo.environment["WEIR_GOLDEN"] != nil { try Data(bytes).write(to: url) }
        return try Array(Data(contentsOf: url))
    }
}
