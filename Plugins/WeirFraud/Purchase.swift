public import WeirCore
public import WeirGeography
public import WeirRecords

/// A purchase with a card.
public struct Purchase: Event {
    public let timestamp: Timestamp

    /// The card.
    public let card: Symbol

    /// How much was paid, in the input's currency.
    public let amount: Double

    /// Where the shop is; `nil` if unknown.
    public let position: GeographicPosition?

    /// Whether the card was in the shop, and not only its number.
    public let isFaceToFace: Bool

    /// Creates a purchase.
    ///
    /// - Parameters:
    ///   - timestamp: When it was made.
    ///   - card: The card.
    ///   - amount: How much was paid.
    ///   - position: Where the shop is.
    ///   - isFaceToFace: Whether the card was in the shop, and not only its number.
    public init(
        timestamp: Timestamp,
        card: Symbol,
        amount: Double,
        position: GeographicPosition?,
        isFaceToFace: Bool
    ) {
        self.timestamp = timestamp
        self.card = card
        self.amount = amount
        self.position = position
        self.isFaceToFace = isFaceToFace
    }
}
