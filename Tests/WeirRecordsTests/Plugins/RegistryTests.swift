import Testing
import WeirCore
import WeirRecords

@Suite struct RegistryTests {
    private struct Words: Format {
        let name: String
        let summary = ""

        func makeDecoder(for schema: RecordSchema, limits: FormatLimits) -> any RecordDecoder {
            preconditionFailure("nothing is read here")
        }
    }

    private struct Nowhere: Transport {
        let scheme: String
        let summary = ""

        func openSource(_ address: String) throws(TransportError) -> any TransportSource {
            throw .cannotOpen(address: address, reason: "there is nothing")
        }

        func openSink(_ address: String) throws(TransportError) -> any TransportSink {
            throw .cannotOpen(address: address, reason: "there is nothing")
        }
    }

    private struct Idle: Plugin {
        let name: String
        let summary = ""
        let options: [OptionDeclaration] = []
        let examples: [(arguments: String, meaning: String)] = []

        func makeDemo(seed: UInt64) -> any TransportSource { ByteSource([]) }

        func start(_ options: OptionValues, output: MatchOutput) throws(PluginError) -> RecordConsumer {
            throw .invalidOption(name: "", reason: "nothing runs here")
        }
    }

    private func registry() throws -> Registry {
        var registry = Registry()
        for name in ["one", "two"] {
            try registry.register(Idle(name: name))
            try registry.register(Words(name: name))
            try registry.register(Nowhere(scheme: name))
        }
        return registry
    }

    @Test func findsByNameWhatWasRegistered() throws {
        let registry = try registry()
        #expect(registry.plugin(named: "two")?.name == "two")
        #expect(registry.format(named: "two")?.name == "two")
        #expect(registry.transport(for: "two")?.scheme == "two")
        #expect(registry.plugin(named: "Two") == nil)
        #expect(registry.format(named: "") == nil)
        #expect(registry.transport(for: "three") == nil)
        #expect(registry.plugins.map(\.name) == ["one", "two"])
        #expect(registry.formats.map(\.name) == ["one", "two"])
        #expect(registry.transports.map(\.scheme) == ["one", "two"])
    }

    @Test func aNameIsGivenOnce() throws {
        var registry = try registry()
        let errors = [
            #expect(throws: RegistryError.self) { try registry.register(Idle(name: "one")) },
            #expect(throws: RegistryError.self) { try registry.register(Words(name: "one")) },
            #expect(throws: RegistryError.self) { try registry.register(Nowhere(scheme: "one")) },
        ]
        for (error, kind) in zip(errors, ["plugin", "format", "transport"]) {
            #expect(try #require(error).description.hasPrefix("the \(kind) name 'one' is taken by "))
        }
        #expect(registry.plugins.count == 2)
        #expect(registry.formats.count == 2)
        #expect(registry.transports.count == 2)
    }
}
