import Foundation
import WeirCore
import WeirExpressions
import WeirSchemas
import WeirSelection
import WeirSequences

let schema = EventSchema<Reading>("Reading", .field("celsius", \.celsius), .field("station", \.station))
// It is not run, so it needs no value.
let records: EventSchema<DynamicRecord> = { fatalError() }()
let element = Reading()
let partialMatch = (lastOfA: Reading(), lastOfB: Reading())
let tree = ExpressionTree.field("celsius")
