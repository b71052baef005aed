extension EnvironmentOptions {
    /// The help on everything that the program reads from the environment.
    static var page: String {
        """
        What weir reads from the environment.

        Examples:
          WEIR_MAX_LINE=64KiB weir run shake readings.csv
          NO_COLOR=1 weir run shake readings.csv --output pretty

        Usage: VARIABLE=VALUE weir COMMAND

        \(Table.text(
            [
                ("WEIR_OPTION", "each option of 'weir run' and of its plugin, as WEIR_MAX_LINE for --max-line, unless it is given otherwise"),
                ("WEIR_ALLOW_WRITABLE", "1 loads libraries and configurations that others can write, too: what they write there runs as you"),
                ("NO_COLOR", "any value turns colours off, as TERM=dumb does"),
                ("XDG_RUNTIME_DIR", "the folder for control sockets (default: a private one below /tmp)"),
                ("LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES", "sockets that systemd opened"),
                ("SWIFT_BACKTRACE", "'enable=yes' shows where the program crashed"),
            ],
            leftWidth: 20
        ))
        """
    }
}
