internal import WeirCore
internal import WeirGeography
internal import WeirRecords

/// Reads purchases, and refuses those that go back in time.
struct PurchaseDecoder: EventDecoder {
    /// The fields of a record; without the last, a purchase was made in the shop if a place is given.
    enum Key: Int, FieldKey {
        case time, card, amount, latitude, longitude
        case faceToFace

        var fieldName: String { self == .faceToFace ? "face-to-face" : String(describing: self) }
    }

    let cards: SymbolTable

    private var lastTime = Timestamp.distantPast

    init(cards: SymbolTable) {
        self.cards = cards
    }

    mutating func decode(_ record: borrowing FieldReader<Key>) throws(FieldError) -> Purchase {
        let time = try record.timestamp(.time)
        guard time >= lastTime else { throw FieldError(Key.time, .goesBack) }
        // All is read before anything is kept: a record that is refused leaves no trace.
        let position = try position(of: record)
        let amount = try record.double(.amount)
        let isFaceToFace = record.isPresent(.faceToFace) ? try record.boolean(.faceToFace) : position != nil
        let card = try cards.symbol(of: record, .card, at: time, limitOption: "max-cards")
        lastTime = time
        return Purchase(
            timestamp: time,
            card: card,
            amount: amount,
            position: position,
            isFaceToFace: isFaceToFace
        )
    }

    mutating func exchangeState(_ state: inout StateExchange) throws(StateError) {
        try state.exchange(&lastTime)
        try cards.exchangeState(&state)
    }

    private func position(of record: borrowing FieldReader<Key>) throws(FieldError) -> GeographicPosition? {
        guard record.isPresent(.latitude), record.isPresent(.longitude) else { return nil }
        let (latitude, longitude) = (try record.double(.latitude), try record.double(.longitude))
        if let position = GeographicPosition(latitude: latitude, longitude: longitude) { return position }
        let key = (-90...90).contains(latitude) ? Key.longitude : .latitude
        throw FieldError(key, .unacceptable("is no place on the Earth"))
    }
}
