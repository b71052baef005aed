import WeirCore

/// A marble diagram on its way into a ``TestChannel``, to be played together with others.
///
///     let orders = TestChannel<String>()
///     let payments = TestChannel<String>()
///     MarbleLine.play(orders.line("a---b|"), payments.line("--x----|"))
public struct MarbleLine: Sendable {
    struct Step: Sendable {
        let column: Int
        let send: @Sendable () -> Void
    }

    let scale: MarbleScale
    let columnCount: Int
    let steps: [Step]

    /// Plays diagrams side by side: column by column, and within a column in the order in which they are given.
    ///
    /// - Parameters:
    ///   - lines: The diagrams, all on the same scale.
    ///   - clock: Moved to the time of each column, if it has not passed that, before the column's signals.
    public static func play(_ lines: MarbleLine..., moving clock: VirtualClock? = nil) {
        guard let scale = lines.first?.scale else { return }
        precondition(lines.allSatisfy { $0.scale == scale }, "diagrams played together must have the same scale")
        var next = Array(repeating: 0, count: lines.count)
        for column in 0..<(lines.map(\.columnCount).max() ?? 0) {
            let time = scale.time(of: column)
            if let clock, clock.now() < time { clock.advance(to: time) }
            for (index, line) in lines.enumerated() {
                while next[index] < line.steps.count, line.steps[next[index]].column == column {
                    line.steps[next[index]].send()
                    next[index] += 1
                }
            }
        }
    }
}
