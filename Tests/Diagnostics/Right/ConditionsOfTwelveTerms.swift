import Weir

struct Reading: Event {
    var timestamp: Timestamp
    var sensor: String
    var celsius: Double
    var humidity: Double
    var isValid: Bool
}

func twelveTerms(_ readings: EventChannel<Reading>) {
    readings
        .where {
            $0.celsius > -40 && $0.celsius < 125 && $0.humidity >= 0 && $0.humidity <= 100 && $0.isValid
                && $0.sensor != "" && $0.sensor != "attic" && $0.celsius != 0 && $0.humidity != 50
                && $0.celsius + 10 > $0.humidity && $0.celsius * 2 < 200 && !$0.isValid
        }
        .select { $0.celsius * 1.8 + 32 }
        .subscribe { print($0) }
}

func twelveTermsOfAClosure(_ readings: EventChannel<Reading>) {
    readings
        .filter {
            $0.celsius > -40 && $0.celsius < 125 && $0.humidity >= 0 && $0.humidity <= 100 && $0.isValid
                && $0.sensor != "" && $0.sensor != "attic" && $0.celsius != 0 && $0.humidity != 50
                && $0.celsius + 10 > $0.humidity && $0.celsius * 2 < 200 && !$0.isValid
        }
        .subscribe { print($0.celsius) }
}
