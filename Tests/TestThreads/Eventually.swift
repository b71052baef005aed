import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Waits until real sockets, processes and threads have brought something about; a test that would wait for ever fails.
package func eventually(_ what: String, _ condition: () throws -> Bool) throws {
    // Guards against what hangs; a busy machine may be slow.
    let limit = Date(timeIntervalSinceNow: 300)
    while try !condition() {
        guard Date() < limit else { throw Impatience(description: "it did not come about that \(what)") }
        usleep(500)
    }
}

/// That a test has waited too long.
package struct Impatience: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
