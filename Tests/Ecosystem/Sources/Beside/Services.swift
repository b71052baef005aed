import ServiceLifecycle
import Weir
import WeirFoundation

/// A processor: the group's shutdown has it handle what is pending.
struct ProcessorService: Service {
    let processor: EventProcessor

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await processor.run() }
    }
}

/// An input that is read until it ends, or the group shuts down.
struct ReadingService: Service {
    let readings: EventChannel<Reading>
    let input: EventInput

    func run() async throws {
        let reader = try EventReader(Reading.self, from: input)
        try await cancelWhenGracefulShutdown { try await reader.read(into: readings) }
    }
}

/// A graph: the group's shutdown ends its source, and what has come by then is still processed.
struct GraphService: Service {
    let graph: Graph<(KillSwitch, GraphResult<Void>)>

    func run() async throws {
        let (killSwitch, result) = graph.run()
        defer { killSwitch.finish() }
        try await withGracefulShutdownHandler {
            try await result.value()
        } onGracefulShutdown: {
            killSwitch.finish()
        }
    }
}
