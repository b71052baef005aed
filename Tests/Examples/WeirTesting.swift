import Testing
import WeirCore
import WeirTesting

struct Reminder: Event {
    var timestamp = Timestamp.epoch
}

let channel = EventChannel<Reading>()
let reading = Reading()
let recorder = Recorder<Int>()
