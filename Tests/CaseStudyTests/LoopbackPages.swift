import Foundation
import Testing
import Weir

/// A server of a few pages on the loopback interface: a thread of the process that tests.
///
/// It answers a number of requests, and ends; after twenty minutes in any case, as requests take long where all tests run at
/// once.
final class LoopbackPages: Sendable {
    let port: UInt16

    init(_ pages: [String: String], requestCount: Int) throws {
        let listener = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        Self.setTimeout(of: listener)
        Thread.detachNewThread {
            for _ in 0..<requestCount {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Self.setTimeout(of: connection)
                Self.answer(connection, pages)
                close(connection)
            }
            close(listener)
        }
    }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
    #else
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    private static func setTimeout(of descriptor: Int32) {
        var timeout = timeval(tv_sec: 1_200, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func answer(_ connection: Int32, _ pages: [String: String]) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !request.contains(0x0A), request.count < 4096 {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            request += buffer[..<count]
        }
        let path = String(decoding: request, as: UTF8.self).split(separator: " ").dropFirst().first.map(String.init)
        let page = path.flatMap { pages[$0] }
        let status = page == nil ? "404 Not Found" : "200 OK"
        let body = page ?? ""
        let answer = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        let bytes = Array(answer.utf8)
        _ = unsafe send(connection, bytes, bytes.count, 0)
    }
}
