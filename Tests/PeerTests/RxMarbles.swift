/// One of RxJS's marble diagrams.
///
/// They differ from those of WeirTesting: a group takes as many columns as it has characters, and `^` is the column at
/// which a hot stream is subscribed to.
struct RxMarbles: Sendable {
    enum Mark: Sendable {
        case element(String)
        case end
        case failure
    }

    /// The signals with the columns in which they come; what comes before the subscription is left out.
    private(set) var moments: [(column: Int, mark: Mark)] = []
    private(set) var columnCount = 0

    init(_ text: String, values: [String: String] = [:]) {
        let characters = text.filter { $0 != " " }
        var all: [(column: Int, mark: Mark)] = []
        var start = 0
        var group: Int?
        for (column, character) in characters.enumerated() {
            let place = group ?? column
            switch character {
            case "-": break
            case "(": group = column
            case ")": group = nil
            case "^": start = column
            case "|": all.append((place, .end))
            case "#": all.append((place, .failure))
            default: all.append((place, .element(values[String(character)] ?? String(character))))
            }
        }
        moments = all.filter { $0.column >= start }.map { ($0.column - start, $0.mark) }
        columnCount = characters.count - start
    }

    /// The signals as an ``RxStage`` notes them down.
    var notes: [String] {
        moments.map { moment in
            switch moment.mark {
            case .element(let value): "\(value)@\(moment.column)"
            case .end: "|@\(moment.column)"
            case .failure: "#@\(moment.column)"
            }
        }
    }
}
