import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The page at an address.
@Sendable
func page(at address: String) async throws -> String {
    guard let url = URL(string: address) else { throw URLError(.badURL) }
    let (bytes, response) = try await URLSession.shared.data(from: url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
    return String(decoding: bytes, as: UTF8.self)
}
