import WeirCore
import WeirExpressions
import WeirSchemas
import WeirSelection
import WeirSequences

let schema = EventSchema<Reading>("Reading", .field("celsius", \.celsius), .field("station", \.station))
let tree = ExpressionTree.field("celsius")
