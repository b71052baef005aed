import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func tuples(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'celsuis'
        .map { ($0.sensor, $0.celsuis * 1.8 + 32) }
        .filter { $0.1 > 32 }
        .subscribe { print("hot", $0) }
}

func scans(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'celsuis'
        .scan(into: 0.0) { sum, reading in sum += reading.celsuis }
        .filter { $0 > 32 }
        .subscribe { print("hot", $0) }
}

func changes(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'celsuis'
        .changes { $0.celsuis }
        .filter { $0.humidity > 32 }
        .subscribe { print("hot", $0) }
}

func groups(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .grouped(by: { $0.sensor }) { group in
            group
                // error: has no member 'celsuis'
                .filter { $0.celsuis > 3 }
                .pairwise()
        }
        .subscribe { print("hot", $0) }
}

func windows(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .tumbling(.seconds(3))
        // error: has no member 'celsuis'
        .mean { $0.celsuis }
        .filter { $0.value ?? 0 > 3 }
        .subscribe { print("hot", $0) }
}

func distinct(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'senser'
        .distinct { $0.senser }
        .pairwise()
        .subscribe { before, after in print("hot", before.celsius) }
}

func pairs(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .pairwise()
        // error: has no member 'celsuis'
        .map { before, after in after.celsuis - before.celsius }
        .filter { $0 > 3 }
        .subscribe { print("hot", $0) }
}

func inner(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .drop { $0.sensor.isEmpty }
        // error: has no member 'celsuis'
        .flatMap { Values([$0.celsuis]) }
        .filter { $0 > 3 }
        .subscribe { print("hot", $0) }
}

func following(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'celsuis'
        .followedBy { before, after in after.celsuis - before.celsius > 5 }
        .map { before, after in after.celsius - before.celsius }
        .subscribe { print("hot", $0) }
}

func values(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        // error: has no member 'celsuis'
        .compactMap { $0.celsius > 0 ? $0.celsuis : nil }
        .subscribe { print("hot", $0) }
}

func places(_ readings: EventChannel<Reading>) {
    readings
        .map { ($0.sensor, $0.celsius) }
        // error: has no member '2'
        .filter { $0.2 > 32 }
        .map { $0.1 }
        .subscribe { print("hot", $0) }
}

func ends(_ readings: EventChannel<Reading>) {
    readings
        .filter { $0.isValid }
        .map { $0.celsius }
        .filter { $0 > 32 }
        // error: has no member 'celsius'
        .subscribe { print("hot", $0.celsius) }
}
