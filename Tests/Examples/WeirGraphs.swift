import WeirCore
import WeirGraphs
import WeirSelection

let source = Source([Reading()])
func take<Element>(_ element: Element) {}
var sink: GraphSink<Reading, GraphResult<Void>> { .forEach { _ in } }
var sinkOfNumbers: GraphSink<Int, GraphResult<Void>> { .forEach { _ in } }
func parse(_ reading: Reading) throws -> Reading { reading }
