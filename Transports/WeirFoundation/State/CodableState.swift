internal import Foundation
public import WeirCore

/// A `Codable` type that is kept in checkpoints by what it encodes, as in recordings.
///
/// For types of which the engine cannot see what they consist of: objects, enumerations with texts or arrays in them, and
/// types of other modules. One line says so:
///
///     enum Shipment: Codable, Sendable {
///         case ordered(String)
///         case sent(to: String, parcels: [Int])
///     }
///
///     extension Shipment: CodableState {}
///
/// A field that was added later is read as the type's `init(from:)` says where it is missing; raise `stateVersion` when the
/// meaning of what is encoded changes. It takes about ten times as long as a `StateCodable` type that is written
/// by hand. A dictionary encodes itself in an order that differs from process to process, so the bytes do; the values do
/// not.
public protocol CodableState: StateCodable, Codable {}

extension CodableState {
    public func save(to writer: inout StateWriter) throws(StateError) {
        let body = BodyTarget(BodyTarget.KeyTable(.none))
        do {
            try BodyEncoder(body, parent: nil, key: nil).write(self, at: nil)
        } catch {
            let name = StateExchange.name(of: Self.self)
            throw .unsaveableType(name, path: name, reason: "\(error)")
        }
        writer.write(bytes: body.bytes)
    }

    public init(restoringFrom reader: inout StateReader) throws(StateError) {
        let bytes = try reader.readBytes()
        do {
            self = try BodyDecoder.decode(Self.self, from: bytes, keys: [])
        } catch {
            throw reader.damage("\(StateExchange.name(of: Self.self)) cannot be decoded: \(error)")
        }
    }
}
