internal import WeirCore

/// Makes the page of a recording: `weir report`, a run whose matches go to the page alone.
enum ReportCommand {
    static var page: String {
        """
        Writes a page with charts of what a plugin finds in a recording.

        Examples:
          weir report shake readings.csv
          weir report walk run.csv --columns time=Time,speed=Speed --to run.html

        Usage: weir report PLUGIN FILE [--to PAGE] [OPTIONS OF 'weir run']

        The page is 'report.html' unless --to says otherwise.

        """
    }

    /// Reads what follows `weir report`.
    static func command(_ words: [String], _ registry: Registry) throws(HostError) -> RunCommand {
        var rest = words
        var page = "report.html"
        if let index = rest.firstIndex(where: { $0 == "--to" || $0.hasPrefix("--to=") }) {
            let word = rest.remove(at: index)
            if word == "--to" {
                guard index < rest.count else {
                    throw .usage("--to lacks its value; name the page, such as --to run.html")
                }
                page = rest.remove(at: index)
            } else {
                page = String(word.dropFirst("--to=".count))
            }
        }
        return try RunCommand(rest + ["--report", page, "--to", "file:/dev/null"], topic: "report", registry)
    }
}
