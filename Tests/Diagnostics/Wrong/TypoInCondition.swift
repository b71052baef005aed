import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func sixTerms(_ readings: EventChannel<Reading>) {
    readings
        .where {
            // error: 'celsuis'
            $0.celsius > -40 && $0.celsuis < 125 && $0.humidity >= 0 && $0.humidity <= 100 && $0.isValid
        }
        .subscribe { print($0.celsius) }
}
