extension MatchStyle {
    /// The help on the styles.
    static var page: String {
        """
        How to write matches.

        Examples:
          weir run shake readings.csv --output csv:safe --to shakes.csv
          weir run shake readings.csv --output 'template:{time} on {axis}'

        Usage: weir run PLUGIN [INPUT] --output STYLE

        \(Table.text([
            ("json", "a JSON object a line; the default"),
            ("pretty", "JSON over several lines, for people"),
            ("csv", "a table; the default where the output ends with .csv"),
            ("csv:safe", "a table for spreadsheets: an apostrophe stands before what they would take for a formula, such as =1+2"),
            ("template:TEXT", "a line with fields in braces; '{{' and '}}' are braces, '\\n' and '\\t' an end of line and a tab"),
        ]))
        Take csv:safe for tables of records that others made and people open: a formula
        can fetch and send data. Plain csv keeps each value as it is, for programs.
        On a terminal all styles write control characters of values like \\u001b.

        """
    }
}
