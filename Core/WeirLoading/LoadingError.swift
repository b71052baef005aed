internal import WeirCore

/// Why a library cannot be loaded as a plugin.
public enum LoadingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system refuses it.
    case cannotLoad(path: String, reason: String)
    /// It has no `weir_plugin_entry`, or that function gives nothing.
    case notAPlugin(path: String)
    /// It was built for another version of the boundary.
    case otherVersion(path: String, version: UInt32, expected: UInt32)
    /// It contradicts itself or its limits; the reason follows the path.
    case malformed(path: String, reason: String)

    /// What is wrong, and what to do about it, in one line.
    public var description: String { Excerpt.line(words) }

    private var words: String {
        switch self {
        case .cannotLoad(let path, let reason): "cannot load '\(path)': \(reason)"
        case .notAPlugin(let path):
            "'\(path)' is no plugin: it does not export 'weir_plugin_entry'; 'weir create plugin' writes one that does"
        case .otherVersion(let path, let version, let expected):
            "'\(path)' was built for version \(version) of the plugin interface, this is version \(expected); "
                + "build it again with this version of Weir"
        case .malformed(let path, let reason): "'\(path)' cannot be used as a plugin: \(reason)"
        }
    }
}
