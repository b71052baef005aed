internal import WeirCore

extension StreamEvent {
    /// The names of the columns of ``csvLine``, as a line.
    public static let csvHeader = "time,key,type,value\n"

    /// The event as a line of CSV.
    public var csvLine: String { "\(milliseconds),\(key),\(letter),\(value)\n" }

    /// The event as a line of JSON, of about 60 bytes.
    public var jsonLine: String {
        #"{"time":\#(milliseconds),"key":\#(key),"type":"\#(letter)","value":\#(value)}"# + "\n"
    }

    private var milliseconds: Int64 { timestamp.nanosecondsSinceEpoch / 1_000_000 }

    private var letter: String { ["A", "B", "C", "D"][Int(type)] }
}
