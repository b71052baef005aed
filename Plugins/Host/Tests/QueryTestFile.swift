internal import WeirCore
internal import WeirFiles
internal import WeirRecords

/// A file of tests, in the form that people write by hand, or JSON where its name ends so.
enum QueryTestFile {
    private static let byteLimit = 16 << 20

    /// Reads the tests of a file.
    ///
    /// - Throws: ``HostError`` with the line of what cannot be understood.
    static func tests(at path: String) throws(HostError) -> [QueryTest] {
        let bytes: [UInt8]
        do throws(TransportError) {
            bytes = try FileTransport().openSource(FileTransport.address(ofPath: path))
                .readAll(limit: byteLimit, address: path)
        } catch {
            throw HostError(.noInput, "\(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw HostError(.noInput, "'\(path)' is not UTF-8")
        }
        do throws(QueryTestError) {
            return path.hasSuffix(".json")
                ? try QueryTestJSON(path: path).tests(in: bytes) : try QueryTestText(path: path).tests(in: text)
        } catch {
            throw .usage("\(path):\(error.line): \(error.message)")
        }
    }

    /// The rules of a file or folder that a test names by a path from its own folder.
    static func rules(_ word: String, beside path: String, _ line: Int) throws(QueryTestError) -> [RuleText] {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let place = word.hasPrefix("/") ? word : folder + word
        do throws(HostError) {
            return try RuleFile.rules(at: place)
        } catch {
            throw QueryTestError(line: line, message: error.message)
        }
    }
}
