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
    sightings
        .where { $0.place.x > 3 && $0.place.y < 100 && $0.place.room.floor == 2 && $0.place.room.name != "attic" }
        .followedByWhere { before, after in after.place.x - before.place.x > 5 && before.animal == after.animal }
        .subscribe { before, after in print(before.place.x, after.place.x) }
    sightings.select { $0.place.x * 2 + $0.place.y }.where { $0 > 3 }.subscribe { print($0) }
}

func stages(_ sightings: EventChannel<Sighting>) {
    let pattern = Pattern<Sighting>
        .first.where { $0.place.room.floor == 1 }
        .followedBy.where { $0.place.x > 3 }.on { a, b in b.place.x > 2 * a.place.x && b.animal == a.animal }
        .next.on { a, b, c in c.place.room.floor == a.place.room.floor && c.place.y + 1 < b.place.y }
    sightings.matches(of: pattern).subscribe { match in print(match.2.place.room.name) }
}
