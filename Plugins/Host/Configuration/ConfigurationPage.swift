internal import WeirCore
internal import WeirRecords

extension Configuration {
    /// The help on configuration files; a test extracts the example, validates it and runs it.
    static var page: String {
        """
        The file of 'weir run --config FILE': pipelines that run side by side.

        Example:
        \(example)
        Usage: weir run --config FILE [--control SOCKET] [--metrics FILE] [--live]
               weir validate --config FILE

        The file is JSON in UTF-8, with one addition: '//' begins a comment that ends
        with its line. It is an object with the one member 'pipelines'; what is unknown
        or given twice is a mistake, which is told with its line and column.

        Members of a pipeline:
        \(Table.text([
            ("plugin", "a plugin or the path of a library"),
            ("plugins", "instead: a list of them, which share the input; NAME=PLUGIN tells two of a kind apart"),
            ("match", "instead: a query; 'weir match --help' has its options, such as 'types'"),
            ("rules", "instead: a file or folder with rules, or a list of them"),
            ("from", "an input, or a list of inputs that are merged by time"),
            ("OPTION", "each option of 'weir run' and of the plugin without its dashes ('weir help options', 'weir run PLUGIN --help')"),
        ]))
        Values:
        \(Table.text([
            ("text, number", "what follows the option on a command line: \"10s\", 1.5"),
            ("true, false", "an option that takes no value, such as 'strict'"),
            ("list", "an option that may be given several times: 'from', 'to'"),
            ("object", "an option of NAME=VALUE pairs, such as 'columns'"),
        ]))
        \(RunOptions.ofProgram.map(\.name).filter { $0 != "help" }.map { "--\($0)" }.joined(separator: ", ")) are about the program and
        stay on its command line. An option that is missing is taken from the
        environment: WEIR_MAX_LINE stands for 'max-line'. A file that others can write
        is refused ('weir help environment').

        A pipeline that fails is started again after 100 ms, then after twice as long
        each time, up to 30 s; 'restarts' says how often. The others go on. Its
        files are then read from their beginnings again, so that matches may come
        twice. Where an output file cannot be written, as on a full disk, the pipeline
        waits in the same way and goes on where it was: nothing is lost or comes twice.

        SIGHUP has the file read again. Pipelines whose members did not change keep
        running with all they know. One that changed begins anew, which gives up its
        partial matches and says how many; rules that did not change keep theirs. Its
        inputs stay open where 'from', 'format' and 'framing' did not change, so that
        nothing is lost or read twice; not with 'workers' or another 'report'. A file
        with a mistake changes nothing.

        """
    }

    /// A file with most of what there is.
    static let example = """
          {
            // The names are those of messages, of 'weir top' and of metrics.
            "pipelines": {
              "shakes": {
                "plugin": "shake",
                "from": "readings.csv",
                "columns": { "time": "t_ms" },
                "threshold": 1.5,
                "to": ["shakes.jsonl", "stdout"],
                "rejected": "bad-readings.jsonl"
              },
              "two-rules": {
                "plugins": ["mild=shake", "hard=shake"],
                "mild.threshold": 0.5,
                "hard.threshold": 3,
                "from": ["day-1.csv", "day-2.csv"],
                "format": "csv",
                "to": "both.jsonl",
                "strict": true, // rejected lines make the exit code 1
                "restarts": 3
              }
            }
          }

        """
}
