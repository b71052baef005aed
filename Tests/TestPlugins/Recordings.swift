internal import Foundation

/// The folder of real recordings, named by the environment variable `WEIR_DATA`; tests that need it are skipped without.
public enum Recordings {
    /// What the skipped tests say.
    public static let advice = "WEIR_DATA names no folder of recordings"

    private static let folder = ProcessInfo.processInfo.environment["WEIR_DATA"]

    /// Whether there is a recording.
    ///
    /// - Parameter path: Within the folder.
    /// - Returns: Whether the tests can use it.
    public static func has(_ path: String) -> Bool {
        folder.map { FileManager.default.fileExists(atPath: $0 + "/" + path) } ?? false
    }

    /// The bytes of a recording.
    ///
    /// - Parameter path: Within the folder.
    /// - Returns: All of them.
    /// - Throws: When the file cannot be read.
    public static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: (folder ?? "") + "/" + path)))
    }
}
