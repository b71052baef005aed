import Testing
import Weir

/// The title of a page; `nil` where there is none.
@Sendable
func title(of page: String) -> String? {
    guard let match = page.firstMatch(of: /<title>([^<]*)<\/title>/.ignoresCase()) else { return nil }
    return String(match.1)
}

/// The titles of the pages at some addresses, in their order; four are asked for at a time.
func titles(
    of addresses: some EventStream<String>,
    fetch: @escaping @Sendable (String) async throws -> String
) -> some EventStream<String> {
    addresses.mapAsync(limit: 4) { address in
        guard let page = try? await fetch(address) else { return "\(address) cannot be reached" }
        return title(of: page) ?? "\(address) has no title"
    }
}

@Suite struct WebsiteTitlesTests {
    private struct Unreachable: Error {}

    @Test func titlesOfAServer() async throws {
        let pages = ["/one": "<html><title>One</title></html>", "/two": "<html></html>"]
        let server = try LoopbackPages(pages, requestCount: 4)
        let addresses = ["one", "two", "three", "one"].map { "http://127.0.0.1:\(server.port)/\($0)" }
        let channel = EventChannel<String>()
        let values = titles(of: channel, fetch: page).values()
        for address in addresses { channel.publish(address) }
        channel.finish()
        var all: [String] = []
        for await title in values { all.append(title) }
        #expect(all == ["One", "\(addresses[1]) has no title", "\(addresses[2]) cannot be reached", "One"])
    }

    @Test func titlesComeInTheOrderOfTheAddresses() async {
        let pages = ["a": "<html><TITLE>One</TITLE>", "b": "<p>two</p>"]
        let addresses = EventChannel<String>()
        let found = titles(of: addresses) { address in
            // Those that come first take longest.
            for _ in 0..<(address == "b" ? 1000 : 0) { await Task.yield() }
            guard let page = pages[address] else { throw Unreachable() }
            return page
        }
        let values = found.values()
        for address in ["b", "a", "c", "a"] { addresses.publish(address) }
        addresses.finish()
        var all: [String] = []
        for await title in values { all.append(title) }
        #expect(all == ["b has no title", "One", "c cannot be reached", "One"])
    }
}
