/// The label of a signal in messages: its name, or the place of its creation.
@usableFromInline
struct SignalLabel: CustomStringConvertible {
    let name: String?
    let file: StaticString
    let line: UInt

    @usableFromInline
    init(_ name: String?, _ file: StaticString, _ line: UInt) {
        self.name = name
        self.file = file
        self.line = line
    }

    @usableFromInline var description: String { name ?? "\(file):\(line)" }
}
