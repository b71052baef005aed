internal import WeirCore

/// Shows the operators of a plugin: `weir graph`.
struct GraphCommand {
    private enum Form: String, CaseIterable {
        case mermaid, dot, svg
    }

    private let graph: PluginGraph
    private let form: Form
    private let title: String

    /// Reads what follows `weir graph`: a plugin, its options, and the form.
    init(_ words: [String], _ registry: Registry) throws(HostError) {
        guard let name = words.first, !name.hasPrefix("-") else {
            throw .usage("name the plugin first, such as 'weir graph shake'; 'weir list plugins' lists them")
        }
        let plugin = try registry.requiredPlugin(named: name)
        let arguments = try Arguments(
            Array(words.dropFirst()),
            names: plugin.options.map { ($0.name, true) } + [("format", true), ("help", false)],
            repeatable: Set(plugin.options.filter(\.isRepeatable).map(\.name)),
            topic: "graph"
        )
        if let place = arguments.places.first { throw .usage("'\(place)' means nothing here; a graph has no input") }
        let word = arguments.options["format"] ?? Form.mermaid.rawValue
        guard let form = Form(rawValue: word) else {
            throw .usage(
                "--format: '\(word)' is not one of \(Form.allCases.map(\.rawValue).joined(separator: ", "))"
                    + Suggestion.text(for: word, among: Form.allCases.map(\.rawValue))
            )
        }
        do throws(PluginError) {
            graph = plugin.graph(
                try OptionValues(plugin.options, given: arguments.options.filter { $0.key != "format" })
            )
        } catch {
            throw .usage("\(error)")
        }
        self.form = form
        title = plugin.name
    }

    static var page: String {
        """
        Shows the operators that a plugin is made of.

        Examples:
          weir graph shake
          weir graph walk --steps ignored --format svg > walk.svg

        Usage: weir graph PLUGIN [--format mermaid|dot|svg] [OPTIONS OF THE PLUGIN]

        """
    }

    /// The graph as text.
    var text: String {
        switch form {
        case .mermaid: mermaid
        case .dot: dot
        case .svg: svg
        }
    }

    private var mermaid: String {
        var text = "flowchart TD\n"
        for (index, node) in graph.nodes.enumerated() {
            let label = "\"" + escaped(node.label, ["\"": "#quot;", "#": "#35;"]) + "\""
            text += "  n\(index)" + (node.kind == .step ? "[\(label)]" : "([\(label)])") + "\n"
        }
        for (index, node) in graph.nodes.enumerated() {
            for source in node.sources { text += "  n\(source) --> n\(index)\n" }
        }
        return text
    }

    private var dot: String {
        var text = "digraph \"\(escaped(title, quotes))\" {\n  node [shape=box, fontname=\"sans-serif\"];\n"
        for (index, node) in graph.nodes.enumerated() {
            text +=
                "  n\(index) [label=\"\(escaped(node.label, quotes))\"\(node.kind == .step ? "" : ", style=rounded")];\n"
        }
        for (index, node) in graph.nodes.enumerated() {
            for source in node.sources { text += "  n\(source) -> n\(index);\n" }
        }
        return text + "}\n"
    }

    private let quotes: [Character: String] = ["\"": "\\\"", "\\": "\\\\"]

    /// Layers from top to bottom: a node stands below all that lead to it.
    private var svg: String {
        let (boxHeight, gap, charWidth) = (36, 34, 8)
        var layers: [Int] = []
        for node in graph.nodes { layers.append((node.sources.map { layers[$0] }.max() ?? -1) + 1) }
        let widths = graph.nodes.map { $0.label.count * charWidth + 32 }
        let rows = (0...(layers.max() ?? 0)).map { layer in graph.nodes.indices.filter { layers[$0] == layer } }
        let rowWidths = rows.map { row in row.reduce(0) { $0 + widths[$1] } + max(0, row.count - 1) * gap }
        let width = (rowWidths.max() ?? 0) + 2 * gap
        let height = rows.count * (boxHeight + gap) + gap
        var places = Array(repeating: (x: 0, y: 0), count: graph.nodes.count)
        for (layer, row) in rows.enumerated() {
            var x = (width - rowWidths[layer]) / 2
            for index in row {
                places[index] = (x, gap + layer * (boxHeight + gap))
                x += widths[index] + gap
            }
        }
        var text =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\""
            + " font-family=\"sans-serif\" font-size=\"14\">\n<title>\(escaped(title, entities))</title>\n"
            + "<style>rect,path{fill:none;stroke:#888;stroke-width:1.5}text{fill:#888}</style>\n"
        for (index, node) in graph.nodes.enumerated() {
            let place = places[index]
            for source in node.sources {
                let from = (x: places[source].x + widths[source] / 2, y: places[source].y + boxHeight)
                let to = (x: place.x + widths[index] / 2, y: place.y)
                text +=
                    "<path d=\"M\(from.x) \(from.y)L\(to.x) \(to.y)M\(to.x - 4) \(to.y - 8)L\(to.x) \(to.y)L\(to.x + 4) \(to.y - 8)\"/>\n"
            }
            text +=
                "<rect x=\"\(place.x)\" y=\"\(place.y)\" width=\"\(widths[index])\" height=\"\(boxHeight)\" rx=\"\(node.kind == .step ? 3 : 18)\"/>"
            text +=
                "<text x=\"\(place.x + widths[index] / 2)\" y=\"\(place.y + 23)\" text-anchor=\"middle\">\(escaped(node.label, entities))</text>\n"
        }
        return text + "</svg>\n"
    }

    private let entities: [Character: String] = ["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;"]

    private func escaped(_ text: String, _ replacements: [Character: String]) -> String {
        text.map { replacements[$0] ?? String($0) }.joined()
    }
}
