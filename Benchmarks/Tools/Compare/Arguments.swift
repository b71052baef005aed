/// What the command line asks for.
struct Arguments {
    private(set) var rounds = 9
    private(set) var suites: Set<String> = []
    private(set) var isQuick = false
    private(set) var listsSuites = false
    private(set) var printsJSON = false
    private(set) var writesResults = false

    /// Reads the arguments.
    ///
    /// - Parameters:
    ///   - arguments: Without the name of the program.
    ///   - names: The suites that there are.
    /// - Throws: ``ArgumentError`` for the first that is not understood.
    init(_ arguments: [String], suites names: [String]) throws(ArgumentError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick":
                (isQuick, rounds) = (true, 3)
            case "--rounds":
                guard let rounds = rest.popFirst().flatMap(Int.init), rounds > 0 else {
                    throw ArgumentError(description: "--rounds needs a number from 1 on")
                }
                self.rounds = rounds
            case "--json":
                printsJSON = true
            case "--write":
                writesResults = true
            case "--list":
                listsSuites = true
            case "--suite":
                guard let suite = rest.popFirst(), names.contains(suite) else {
                    throw ArgumentError(description: "--suite needs a name: \(names.joined(separator: ", "))")
                }
                suites.insert(suite)
            default:
                throw ArgumentError(
                    description: "'\(argument)' is none of --quick, --rounds N, --suite NAME, --json, --write, --list"
                )
            }
        }
    }

    /// How long all suites may take together, without the peers beside.
    var time: Duration { isQuick ? .seconds(135) : .seconds(600) }
}

/// Why the command line is not understood.
struct ArgumentError: Error, CustomStringConvertible {
    let description: String
}
