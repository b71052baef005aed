// What the examples of all modules talk about.
import Foundation
import Weir
import WeirCore
import WeirDispatch
import WeirFoundation

struct Reading: Event, Equatable, Codable {
    var timestamp = Timestamp.epoch
    var celsius = 0.0
    var humidity = 0.0
    var pressure = 0.0
    var value = 0.0
    var x = 0.0
    var y = 0.0
    var id = 0
    var station = ""
    var recording = ""
    var isValid = true
    var isDoorOpen = false
    var fahrenheit: Double { celsius * 1.8 + 32 }
    static let zero = Reading()
}

struct Price: Event {
    var timestamp = Timestamp.epoch
    var amount = 0.0
    var price = 0.0
    var article = 0
    var symbol = ""
}

enum OrderKind: Sendable { case order, retry, refund, end }

struct Order: Event {
    var timestamp = Timestamp.epoch
    var id = 0
    var number = 0
    var customer = 0
    var article = 0
    var orderID = 0
    var cents = 0
    var amount = 0.0
    var kind = OrderKind.order
    var items: [String] = []
}

typealias Payment = Order

struct Request: Event {
    var timestamp = Timestamp.epoch
    var user = ""
    var path = ""
    var milliseconds = 0.0
    var session = 0
    var isPurchase = false
}

struct Purchase: Event {
    var timestamp = Timestamp.epoch
    var card = ""
    var amount = 0.0
    var isFaceToFace = false
}

/// Something that has happened, of any kind.
struct Incident: Event {
    var timestamp = Timestamp.epoch
    var device = ""
    var name = ""
    var kind = ""
    var room = ""
    var door = ""
    var holder = ""
    var account = ""
    var text = ""
    var value = 0.0
    var isAlarm = false
}

typealias Alarm = Incident

let start = Timestamp.epoch
let now = Timestamp.epoch
let midnight = Timestamp.epoch
let opening = Timestamp.epoch
let closing = Timestamp.epoch
let clock = EventClock()
let scheduler = Scheduler(clock: clock)

let readings = EventChannel<Reading>()
let live = EventChannel<Reading>()
let history = EventChannel<Reading>()
let corrections = EventChannel<Reading>()
let temperature = EventChannel<Reading>()
let humidity = EventChannel<Reading>()
let wind = EventChannel<Reading>()
let rain = EventChannel<Reading>()
let light = EventChannel<Reading>()
let indoors = EventChannel<Reading>()
let outdoors = EventChannel<Reading>()
let underground = EventChannel<Reading>()
let north = EventChannel<Reading>()
let south = EventChannel<Reading>()
let positions = EventChannel<Reading>()
let levels = EventChannel<Reading>()
let laps = EventChannel<Reading>()
let connection = EventChannel<Reading>()
let channels = [indoors, outdoors]

let prices = EventChannel<Price>()
let trades = EventChannel<Price>()
let orders = EventChannel<Order>()
let payments = EventChannel<Payment>()
let customers = EventChannel<Order>()
let registered = EventChannel<Order>()
let seen = EventChannel<Order>()
let purchases = EventChannel<Purchase>()

let requests = EventChannel<Request>()
let replies = EventChannel<Request>()
let receipts = EventChannel<Request>()
let answers = EventChannel<Request>()
let latencies = EventChannel<Request>()
let clicks = EventChannel<Request>()

let alarms = EventChannel<Alarm>()
let warnings = EventChannel<Alarm>()
let notes = EventChannel<Alarm>()
let lines = EventChannel<Alarm>()
let shutdowns = EventChannel<Alarm>()
let heartbeats = EventChannel<Alarm>()
let keystrokes = EventChannel<Alarm>()
let signals = EventChannel<Alarm>()
let smoke = EventChannel<Alarm>()
let heat = EventChannel<Alarm>()
let gas = EventChannel<Alarm>()
let buttons = EventChannel<Alarm>()
let gestures = EventChannel<Alarm>()
let logins = EventChannel<Alarm>()
let complaints = EventChannel<Alarm>()
let refunds = EventChannel<Alarm>()
let hall = EventChannel<Alarm>()
let stairs = EventChannel<Alarm>()
let cellar = EventChannel<Alarm>()
let roof = EventChannel<Alarm>()
let garage = EventChannel<Alarm>()
let garden = EventChannel<Alarm>()
let failedLogins = EventChannel<Alarm>()
let closings = EventChannel<Alarm>()
let openings = EventChannel<Alarm>()
let cardTapped = EventChannel<Alarm>()
let doorOpened = EventChannel<Alarm>()
let motion = EventChannel<Alarm>()

func distance<T>(_ first: T, _ second: T) -> Double { 0 }
func block(_ card: String) {}
func parse(_ line: Alarm) -> Alarm { line }
func ring(_ alarm: Alarm) {}
func write(_ line: Alarm) {}
func save(_ reading: Reading) {}
func simulate(_ reading: Reading) -> Reading { reading }
func lock(_ account: String) {}
func answer(_ complaint: Alarm) {}
func record(_ refund: Alarm) {}

struct Quake: Event {
    var timestamp = Timestamp.epoch
}

let states = EventChannel<Reading>()
let amounts = prices.map { $0.amount }
let shifts = CalendarGrid(.day, in: .gmt)
let pricesByArticle = [1: 2.5]
func fallback(for error: any Error) -> EventChannel<Reading> { live }
