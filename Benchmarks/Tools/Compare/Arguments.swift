/// What the command line asks for.
struct Arguments {
    private(set) var rounds = 9
    private(set) var suites: Set<String> = []

    /// Reads the arguments.
    ///
    /// - Parameter arguments: Without the name of the program.
    /// - Throws: ``ArgumentError`` for the first that is not understood.
    init(_ arguments: [String]) throws(ArgumentError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick":
                rounds = 3
            case "--rounds":
                guard let rounds = rest.popFirst().flatMap(Int.init), rounds > 0 else {
                    throw ArgumentError(description: "--rounds needs a number from 1 on")
                }
                self.rounds = rounds
            case "--suite":
                guard let suite = rest.popFirst() else {
                    throw ArgumentError(description: "--suite needs a name: pipelines, rings or command")
                }
                suites.insert(suite)
            default:
                throw ArgumentError(description: "'\(argument)' is none of --quick, --rounds N, --suite NAME")
            }
        }
    }
}

/// Why the command line is not understood.
struct ArgumentError: Error, CustomStringConvertible {
    let description: String
}
