internal import Foundation

/// One chart of the picture: lines through points.
struct Chart: CustomStringConvertible {
    struct Mark {
        let size: Double
        let median: Double
        let least: Double
        let greatest: Double
    }

    private struct Line {
        let name: String
        var marks: [Mark]
    }

    static let width = 500.0
    static let height = 330.0
    private static let (left, right, top, bottom) = (64.0, 476.0, 62.0, 280.0)

    let axis: String
    private var lines: [Line] = []

    init(axis: String) {
        self.axis = axis
    }

    mutating func add(_ mark: Mark, to name: String) {
        if let index = lines.firstIndex(where: { $0.name == name }) {
            lines[index].marks.append(mark)
        } else {
            lines.append(Line(name: name, marks: [mark]))
        }
    }

    var description: String {
        let sizes = LogarithmicScale(lines.flatMap { $0.marks.map(\.size) }, from: Self.left + 10, to: Self.right - 10)
        let costs = LogarithmicScale(
            lines.flatMap { $0.marks.flatMap { [$0.least, $0.greatest] } },
            widenedToPowersOfTen: true,
            from: Self.bottom,
            to: Self.top
        )
        var parts = [#"<text class="axis" x="24" y="20">\#(escaped("Against \(axis)"))</text>"#]
        for cost in costs.powers.map({ pow(10, Double($0)) }) {
            let y = number(costs.place(cost))
            parts.append(#"<path class="grid" d="M\#(number(Self.left)) \#(y)H\#(number(Self.right))"/>"#)
            parts.append(
                #"<text class="end" x="\#(number(Self.left - 8))" y="\#(y)" dy="4">\#(amount(cost))</text>"#
            )
        }
        for size in ticks(sizes) {
            let x = number(sizes.place(size))
            parts.append(#"<path class="grid" d="M\#(x) \#(number(Self.bottom))v5"/>"#)
            parts.append(#"<text class="middle" x="\#(x)" y="\#(number(Self.bottom + 20))">\#(amount(size))</text>"#)
        }
        parts.append(
            #"<text class="middle" x="\#(number((Self.left + Self.right) / 2))" y="\#(number(Self.bottom + 38))">"#
                + "\(escaped(axis))</text>"
        )
        var legend = 24.0
        for (line, style) in zip(lines, styles) {
            parts.append(drawing(of: line, style, sizes, costs))
            let (x, end) = (number(legend), number(legend + 24))
            parts.append(#"<path class="line \#(style)" d="M\#(x) 38H\#(end)"/>"#)
            parts.append(#"<text class="name" x="\#(number(legend + 30))" y="42">\#(escaped(line.name))</text>"#)
            // About the width of the text; nothing here can measure it.
            legend += 46 + 6.6 * Double(line.name.count)
        }
        return parts.joined(separator: "\n")
    }

    /// Weir, the limit, and the peers in their order.
    private var styles: [String] {
        var peers = 0
        return lines.map { line in
            if line.name == "Weir" { return "weir" }
            if line.name.hasPrefix("by hand") { return "limit" }
            defer { peers += 1 }
            return "peer\(peers % 3)"
        }
    }

    private func drawing(
        of line: Line,
        _ style: String,
        _ sizes: LogarithmicScale,
        _ costs: LogarithmicScale
    ) -> String {
        let marks = line.marks.sorted { $0.size < $1.size }
        let path = marks.map { "\(number(sizes.place($0.size))) \(number(costs.place($0.median)))" }
        let bars = marks.map { mark in
            let x = number(sizes.place(mark.size))
            let (low, high) = (number(costs.place(mark.least)), number(costs.place(mark.greatest)))
            return #"<path class="bar \#(style)" d="M\#(x) \#(low)V\#(high)"/>"#
        }
        let dots = marks.map { mark in
            let (x, y) = (number(sizes.place(mark.size)), number(costs.place(mark.median)))
            let name = escaped("\(line.name), \(amount(mark.size)): \(short(mark.median)) ns")
            return #"<circle class="mark \#(style)" cx="\#(x)" cy="\#(y)" r="4"><title>\#(name)</title></circle>"#
        }
        return ([#"<path class="line \#(style)" d="M\#(path.joined(separator: "L"))"/>"#] + bars + dots)
            .joined(separator: "\n")
    }

    /// The sizes that are labelled: all if they are few and small, else powers of ten.
    private func ticks(_ sizes: LogarithmicScale) -> [Double] {
        let all = Set(lines.flatMap { $0.marks.map(\.size) }).sorted()
        if all.count <= 6, all.allSatisfy({ $0 < 10_000 }) { return all }
        let powers = sizes.powers
        return powers.filter { ($0 - powers.lowerBound).isMultiple(of: powers.count > 7 ? 2 : 1) }.map {
            pow(10, Double($0))
        }
    }

    /// A size, as it is when it is small, else as a power of ten.
    private func amount(_ size: Double) -> String {
        let power = log10(size).rounded()
        if size < 10_000 { return String(Int(size)) }
        let digits = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
        let exponent = String(String(Int(power)).compactMap { $0.wholeNumberValue.map { digits[$0] } })
        let factor = size / pow(10, power)
        return abs(factor - 1) < 0.005 ? "10\(exponent)" : "\(short(factor)) · 10\(exponent)"
    }
}
