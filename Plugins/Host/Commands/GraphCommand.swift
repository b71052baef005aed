internal import WeirCore
internal import WeirRecords

/// Shows the operators of a plugin: `weir graph`.
struct GraphCommand: Command {
    static let name = "graph"
    static let operands = "PLUGIN"
    static let summary = "Show the operators that a plugin is made of"
    static let examples: [HelpPage.Example] = [
        ("weir graph shake", ""), ("weir graph walk --steps ignored --format svg > walk.svg", ""),
    ]
    static let usage = ["weir graph PLUGIN [--format mermaid|dot|svg] [OPTIONS OF THE PLUGIN]"]
    static let options = [formatOption]
    static let pluginOptions: [OptionDeclaration]? = []

    private static let formatOption = OptionDeclaration(
        "format",
        .choice(Form.allCases.map(\.rawValue)),
        default: Form.mermaid.rawValue,
        help: "how to write the graph"
    )

    private enum Form: String, CaseIterable {
        case mermaid, dot, svg
    }

    private let graph: PluginGraph
    private let form: Form
    private let title: String

    init(_ words: [String], _ registry: Registry) throws(HostError) {
        guard let name = words.first, !name.hasPrefix("-") else {
            throw .usage("name the plugin first, such as 'weir graph shake'; 'weir list plugins' lists them")
        }
        let rest = Array(words.dropFirst())
        let own = [Self.formatOption, .showHelp].map { AcceptedOption($0) }
        let plugin: any Plugin
        let arguments: Arguments
        let places: [String]
        if name == MatchCommand.name {
            let line = try QueryLine(rest, registry)
            arguments = try Arguments(rest, own + line.accepted, topic: Self.name)
            let found = try line.rules(arguments)
            places = found.places
            plugin = try QueryCompilation(found.rules, arguments.options, [], FormatLimits(), registry).plugin
        } else {
            plugin = try registry.requiredPlugin(named: name)
            let options = plugin.options.map { AcceptedOption(ofPlugin: $0, as: $0.name) }
            arguments = try Arguments(rest, own + options, topic: Self.name)
            places = arguments.places
        }
        if let place = places.first { throw .usage("'\(place)' means nothing here; a graph has no input") }
        form = try arguments.options.choice(Self.formatOption).flatMap { Form(rawValue: $0) } ?? .mermaid
        do throws(PluginError) {
            let values = try OptionValues(
                plugin.options,
                given: arguments.options.filter { given in
                    given.key != Self.formatOption.name
                        && (name != MatchCommand.name || plugin.options.contains { $0.name == given.key })
                }
            )
            graph = plugin.graph(values)
        } catch {
            throw .usage("\(error)")
        }
        title = plugin.name
    }

    func run(_ context: CommandContext) throws(HostError) -> ExitCode { try context.show(text) }

    /// The graph as text.
    private var text: String {
        switch form {
        case .mermaid: mermaid
        case .dot: dot
        case .svg: svg
        }
    }

    private var mermaid: String {
        var text = "flowchart TD\n"
        for (index, node) in graph.nodes.enumerated() {
            let label = "\"" + escaped(node.label, references) + "\""
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

    /// What a text in quotes writes otherwise in the language of Graphviz, and in that of Mermaid, whose texts are HTML.
    private let quotes: [Unicode.Scalar: String] = ["\"": "\\\"", "\\": "\\\\"]
    private let references: [Unicode.Scalar: String] = [
        "\"": "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;",
    ]

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

    private let entities: [Unicode.Scalar: String] = ["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;"]

    /// A text that ends neither its quotes nor its line, and has no character that XML forbids.
    ///
    /// By scalars: a quote that an accent follows is one all the same.
    private func escaped(_ text: String, _ replacements: [Unicode.Scalar: String]) -> String {
        Excerpt.escaped(text).unicodeScalars.map { replacements[$0] ?? String($0) }.joined()
    }
}
