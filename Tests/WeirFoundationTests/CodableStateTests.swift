import Foundation
import Testing
import WeirCore
import WeirFoundation
import WeirSelection
import WeirTesting

enum Shipment: Equatable, Codable, Sendable {
    case ordered(String)
    case sent(to: String, parcels: [Int?])
    indirect case again(Shipment)
}

extension Shipment: CodableState {}

final class Customer: CodableState, Sendable {
    let name: String
    let born: Date

    init(name: String, born: Date) { (self.name, self.born) = (name, born) }
}

private struct Unencodable: CodableState, Sendable {
    struct Refusal: Error {}

    init() {}
    init(from decoder: any Decoder) throws { throw Refusal() }
    func encode(to encoder: any Encoder) throws { throw Refusal() }
}

/// Types of which the engine cannot see what they consist of are kept by what they encode.
@Suite struct CodableStateTests {
    private typealias Moved = (Shipment?, [Customer])

    private func copy<Value>(of value: Value, into other: Value) throws -> Value {
        var value = value
        let checkpoint = try Checkpoint { state throws(StateError) in
            try state.begin("value")
            try state.exchange(&value)
        }
        var copy = other
        try Checkpoint(bytes: checkpoint.bytes).restore { state throws(StateError) in
            try state.begin("value")
            try state.exchange(&copy)
        }
        return copy
    }

    @Test func valuesComeBack() throws {
        let values: [Shipment] = [.ordered("é"), .sent(to: "", parcels: [1, nil, -3]), .again(.again(.ordered("x")))]
        #expect(try copy(of: values, into: []) == values)
        let customers = [Customer(name: "a", born: Date(timeIntervalSince1970: 1.5))]
        let moved = try copy(of: (values[1], customers) as Moved, into: (nil, []))
        #expect(moved.0 == values[1])
        #expect(moved.1.map(\.name) == ["a"] && moved.1[0].born == customers[0].born)
    }

    @Test func operatorsKeepThem() throws {
        let trial = RestoreTrial<Shipment>(seed: 3) { id, _, _ in
            id % 3 == 0 ? .ordered("\(id)") : .sent(to: "b", parcels: [id, nil])
        }
        #expect(trial.difference { $0[0].scan(into: [Shipment]()) { $0.append($1) } } == nil)
    }

    @Test func whatCannotBeEncodedIsNamed() throws {
        let error = #expect(throws: StateError.self) { try copy(of: [Unencodable()], into: []) }
        #expect("\(try #require(error))".contains("Unencodable"))
    }

    @Test func anotherTypeDoesNotFit() throws {
        var value = Shipment.sent(to: "there", parcels: [1, 2, 3])
        let good = try Checkpoint { state throws(StateError) in
            try state.begin("value")
            try state.exchange(&value)
        }
        var other = Customer(name: "", born: Date())
        #expect(throws: StateError.self) {
            try good.restore { state throws(StateError) in
                try state.begin("value")
                try state.exchange(&other)
            }
        }
    }
}
