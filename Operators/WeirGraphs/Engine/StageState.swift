public import WeirCore

/// What a stage keeps from step to step, for checkpoints.
@usableFromInline
final class StageState {
    @usableFromInline typealias Exchange = (inout StateExchange) throws(StateError) -> Void

    private var fields: [Exchange] = []
    private var parts: [Exchange] = []

    init() {}

    /// Adds what is exchanged in the stage's own section.
    @usableFromInline
    func addField(_ exchange: @escaping Exchange) {
        fields.append(exchange)
    }

    /// Adds what has sections of its own.
    @usableFromInline
    func addPart(_ exchange: @escaping Exchange) {
        parts.append(exchange)
    }

    func exchange(_ state: inout StateExchange, inlets: [AnyWire]) throws(StateError) {
        try state.begin("stage")
        for field in fields { try field(&state) }
        for inlet in inlets { try inlet.exchangeState(&state) }
        for part in parts { try part(&state) }
    }
}

extension StageContext {
    /// Makes a cell for a value that the stage keeps from step to step, and that is part of checkpoints.
    ///
    /// What a stage keeps otherwise, it makes anew after a restart.
    @inlinable
    func keep<Value>(_ initial: Value) -> SharedCell<Value> {
        let cell = SharedCell(driven: initial)
        state.addField { state throws(StateError) in try state.exchange(cell) }
        return cell
    }

    /// Makes the count of a side output a part of checkpoints.
    @inlinable
    func keepCount(of output: SideOutput<some Sendable>) {
        state.addField { state throws(StateError) in try state.exchange(output) }
    }
}
