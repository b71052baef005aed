import Foundation

/// A case of RxJS's own tests, as the file of the cases has it.
struct RxMarbleCase: Decodable, Sendable {
    struct Input: Decodable, Sendable {
        let name: String
        let isHot: Bool
        let marbles: String

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            name = try fields.decode(String.self)
            isHot = try fields.decode(String.self) == "hot"
            marbles = try fields.decode(String.self)
        }
    }

    let op: String
    let name: String
    let call: String
    let ins: [Input]
    let expected: String
    let values: [String: String]
    let t: [String: Int]

    /// The cases with what tells them apart: the operator, the name, and which one it is of those that share both.
    static func all() throws -> [(id: String, test: RxMarbleCase)] {
        var seen: [String: Int] = [:]
        return try JSONDecoder().decode([RxMarbleCase].self, from: Data(contentsOf: file)).map { test in
            let id = "\(test.op): \(test.name)"
            let number = seen[id, default: 0] + 1
            seen[id] = number
            return (number == 1 ? id : "\(id) (\(number))", test)
        }
    }

    /// Whether there is a file of cases.
    static var isAvailable: Bool { FileManager.default.fileExists(atPath: file.path) }

    private static let file = root.deletingLastPathComponent().appendingPathComponent("shared/peers/rx-marbles.json")

    /// The folder of the package.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}

/// Why a case is not played.
enum RxSkip: Error {
    /// There is no such operator; what it would be.
    case noOperator(String)
    /// The operator stops the program at such an argument.
    case refused
}
