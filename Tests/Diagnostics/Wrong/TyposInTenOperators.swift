import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func operators1(_ readings: EventChannel<Reading>) {
    readings
        // error: has no member 'isVaild'
        .filter { $0.isVaild }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .drop { $0.sensor.isEmpty }
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .map { $0.1 }
        .scan(into: 0.0) { sum, fahrenheit in sum += fahrenheit }
        .pairwise()
        .filter { before, after in after > before }
        .subscribe { print("rising", $0) }
}

func operators2(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'celsuis'
        .filter { $0.celsius > -40 && $0.celsuis < 125 }
        .drop { $0.sensor.isEmpty }
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .map { $0.1 }
        .scan(into: 0.0) { sum, fahrenheit in sum += fahrenheit }
        .pairwise()
        .filter { before, after in after > before }
        .subscribe { print("rising", $0) }
}

func operators3(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        // error: has no member 'senser'
        .drop { $0.senser.isEmpty }
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .map { $0.1 }
        .scan(into: 0.0) { sum, fahrenheit in sum += fahrenheit }
        .pairwise()
        .filter { before, after in after > before }
        .subscribe { print("rising", $0) }
}

func operators4(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .filter { $0.celsius > -40 && $0.celsius < 125 }
        .drop { $0.sensor.isEmpty }
        .map { ($0.sensor, $0.celsius * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .map { $0.1 }
        .scan(into: 0.0) { sum, fahrenheit in sum += fahrenheit }
        .pairwise()
        // error: cannot find 'befor' in scope
        .filter { before, after in after > befor }
        .subscribe { print("rising", $0) }
}
