import WeirCore
import WeirEQL
import WeirQueries
import WeirSchemas

struct Attempt: Event {
    var timestamp = Timestamp.epoch
    var kind = "login"
    var user = "ann"
    var succeeded = false
}

let attempts = EventChannel<Attempt>()
