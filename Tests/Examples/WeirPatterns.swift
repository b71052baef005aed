import WeirCore
import WeirExpressions
import WeirPatterns

struct Tick: Event {
    var timestamp = Timestamp.epoch
    var symbol = ""
    var price = 0.0
}

extension Order {
    func pays(_ order: Payment) -> Bool { true }
    func pays(_ order: Either<Order, Payment>) -> Bool { true }
}

extension Either where First == Order, Second == Payment {
    func pays(_ order: Self) -> Bool { true }
}

let ticks = EventChannel<Tick>()
let symbols = ["WEIR", "DAM"]
let begun = Pattern<Purchase>.first { $0.isFaceToFace }
let fraud = Pattern<Purchase>.first { $0.isFaceToFace }.followedBy { $0.isFaceToFace }
