import Weir

struct Place: Sendable {
    var x: Double
    var y: Double
    var room: Room

    struct Room: Sendable {
        var floor: Int
        var name: String
    }
}

struct Sighting: Event {
    var timestamp: Timestamp
    var animal: Int
    var place: Place
}

func expressions(_ sightings: EventChannel<Sighting>) {
    // error: 'flor'
    sightings.where { $0.place.x > 3 && $0.place.room.flor == 2 }.subscribe { print($0) }
    // error: 'rom'
    sightings.where { $0.place.rom.floor == 2 }.subscribe { print($0) }
}

func stages(_ sightings: EventChannel<Sighting>) {
    let pattern = Pattern<Sighting>
        .first.where { $0.place.room.floor == 1 }
        // error: 'xx'
        .followedBy.where { $0.place.x > 3 }.on { a, b in b.place.xx > 2 * a.place.x && b.animal == a.animal }
        .next.where { $0.animal > 3 }
    sightings.matches(of: pattern).subscribe { match in print(match.2.place.room.name) }
}
