import WeirCore
import WeirGraphs
import WeirSelection

let source = Source([Reading()])
func take<Element>(_ element: Element) {}
var sink: GraphSink<Reading, GraphResult<Void>> { .forEach { _ in } }
var sinkOfNumbers: GraphSink<Int, GraphResult<Void>> { .forEach { _ in } }
func parse(_ reading: Reading) throws -> Reading { reading }
let stations = [1]
func download(_ station: Int) async throws -> Reading { Reading() }
struct Database: Sendable { func insert(_ reading: Reading) async throws {} }
let database = Database()
nonisolated(unsafe) let notifications = AsyncStream<Reading> { _ in }
