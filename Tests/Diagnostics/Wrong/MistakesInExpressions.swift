import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func typos(_ readings: EventChannel<Reading>) {
    // error: 'celsuis'
    readings.where { $0.celsius > 3 && $0.celsuis < 125 }.subscribe { print($0.celsius) }
    // error: 'celsuis'
    readings.select { $0.celsuis * 1.8 + 32 }.where { $0 > 3 }.subscribe { print($0) }
    // error: 'celsuis'
    readings.followedByWhere { before, after in after.celsuis > before.celsius + 5 }.subscribe { print($0) }
}

func literals(_ readings: EventChannel<Reading>) {
    // error: 'String'
    readings.where { $0.celsius > "3" }.subscribe { print($0.celsius) }
    // error: expected argument type 'String'
    readings.where { $0.celsius > 3 && $0.sensor == 5 }.subscribe { print($0.celsius) }
}
