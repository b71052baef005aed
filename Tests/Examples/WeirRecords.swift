import WeirCore
import WeirFormats
import WeirPatterns
import WeirRecords
import WeirShake

extension Reading: FieldDecodable {
    enum Key: Int, FieldKey { case time, celsius }
    init(from record: borrowing FieldReader<Key>) throws(FieldError) {
        self.init(timestamp: try record.timestamp(.time), celsius: try record.double(.celsius))
    }
}

extension Reading: FieldEncodable {
    func encode(to writer: inout FieldWriter) { writer.write("celsius", celsius) }
}

extension Alarm {
    var level: Int { 0 }
    var cause: Reading { Reading() }
}

let event = Reading()
let output = MatchOutput()
nonisolated(unsafe) let suspicions = purchases.matches(of: Pattern<Purchase>.first { $0.isFaceToFace })
// They are not run, so they need no values.
nonisolated(unsafe) let source: any TransportSource = { fatalError() }()
nonisolated(unsafe) let format: any Format = { fatalError() }()
nonisolated(unsafe) let record: FieldReader<Reading.Key> = { fatalError() }()
