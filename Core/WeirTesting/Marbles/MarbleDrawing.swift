import WeirCore

/// Draws signals as a marble diagram.
struct MarbleDrawing<Element: Sendable> {
    let values: [Character: Element]
    let scale: MarbleScale
    let areEqual: (Element, Element) -> Bool

    /// The diagram's text; elements without a name are drawn as `?`.
    func draw(_ signals: [StreamSignal<Element>]) -> String {
        var text = ""
        var column = 0
        var index = 0
        while index < signals.count {
            // Those that come at the time of one column are a group.
            let place = place(of: signals[index])
            var end = index + 1
            if let place, place.plus == 0, place.column >= column {
                while end < signals.count, isAt(place.column, signals[end]) { end += 1 }
                text += String(repeating: "-", count: min(place.column - column, 1000))
                column = place.column
                let drawn = signals[index..<end].map(symbol(of:)).joined()
                text += end - index > 1 ? "(\(drawn))" : drawn
            } else {
                text += symbol(of: signals[index]) + timeText(of: signals[index], place)
            }
            column += 1
            index = end
        }
        return text
    }

    /// A signal in words, such as `b at column 3`.
    func words(_ signal: StreamSignal<Element>?) -> String {
        switch signal {
        case nil: "nothing"
        case .completion(.finished)?: "the end"
        case .completion(.interrupted)?: "the interruption"
        case .completion(.failed(let error))?: "the failure \(error)"
        case .watermark(let time)?: "the watermark \(timeWords(time))"
        case .element(let element, let time)?:
            if let name = name(of: element) {
                "\(name) \(timeWords(time))"
            } else {
                "\(element), which has no name, \(timeWords(time))"
            }
        }
    }

    private func timeWords(_ time: Timestamp) -> String {
        guard let place = scale.column(of: time) else { return "at \(time)" }
        if place.plus == 0 { return "at column \(place.column)" }
        let direction = place.plus < 0 ? "before" : "after"
        return "\(place.plus.magnitude) ns \(direction) column \(place.column)"
    }

    private func isAt(_ column: Int, _ signal: StreamSignal<Element>) -> Bool {
        // The end carries no time, and is drawn after the signal before it.
        guard case .completion = signal else {
            return place(of: signal).map { $0.column == column && $0.plus == 0 } ?? false
        }
        return false
    }

    private func place(of signal: StreamSignal<Element>) -> (column: Int, plus: Int64)? {
        switch signal {
        case .element(_, let time), .watermark(let time): scale.column(of: time)
        case .completion: nil
        }
    }

    private func symbol(of signal: StreamSignal<Element>) -> String {
        switch signal {
        case .element(let element, _): name(of: element).map { String($0) } ?? "?"
        case .watermark: "^"
        case .completion(.finished): "|"
        case .completion(.failed): "#"
        case .completion(.interrupted): "!"
        }
    }

    private func timeText(of signal: StreamSignal<Element>, _ place: (column: Int, plus: Int64)?) -> String {
        if case .completion = signal { return "" }
        guard let place else { return "{far}" }
        return place.plus == 0 ? "{\(place.column)}" : "{\(place.column)\(place.plus < 0 ? "" : "+")\(place.plus)}"
    }

    private func name(of element: Element) -> Character? {
        values.filter { areEqual($0.value, element) }.keys.min()
    }
}
