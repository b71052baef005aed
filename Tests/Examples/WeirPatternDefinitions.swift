import Foundation
import WeirSchemas

let data = Data()
let schema = EventSchema<Purchase>("Purchase", .field("amount", \.amount), .field("card", \.card))
