import TestPlugins
import WeirFormats
import WeirRecords
import WeirShake

typealias Run = PluginRun

extension PluginRun {
    init(_ given: [String: String], csv: String) throws {
        try self.init(ShakePlugin(), given, csv: csv)
    }

    init(_ given: [String: String], jsonLines: String) throws {
        try self.init(ShakePlugin(), given, jsonLines: jsonLines)
    }

    init(_ given: [String: String], source: any TransportSource) throws {
        try self.init(ShakePlugin(), given, source: source)
    }
}
