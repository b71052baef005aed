import CWeirSockets
import Foundation
import TestThreads
import Testing
import WeirCore
import WeirFiles
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct SocketListenerTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func open(_ options: String = "") throws -> any TransportSource {
        try UnixTransport().openSource(folder("s") + options)
    }

    @Test func makesAPrivateFileAndRemovesIt() throws {
        do {
            let source = try open()
            #expect(try folder.mode(of: "s") == 0o600)
            _ = source.meter
        }
        #expect(!folder.has("s"))
        do {
            let source = try open("?mode=0666")
            #expect(try folder.mode(of: "s") == 0o666)
            _ = source.meter
        }
    }

    @Test func refusesModesAndOwnersThatMakeNoSense() throws {
        for options in [
            "?mode=0999", "?mode=1777", "?mode=rw", "?owner=nobody-of-that-name", "?users=nobody-of-that-name",
        ] {
            let error = try #require(throws: TransportError.self) { try open(options) }
            #expect("\(error)".contains("cannot open 'unix:"), "\(error)")
            #expect(!folder.has("s"), "\(options)")
        }
    }

    @Test func removesASocketThatWasLeftBehindAndNoOther() throws {
        // Left behind: a socket that was bound, and closed without removing its file.
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let target = try UnixPlace.file(folder("s")).address(for: "test")
        let status = unsafe withUnsafePointer(to: target) { target in
            unsafe bind(
                left,
                UnsafeRawPointer(target).assumingMemoryBound(to: sockaddr.self),
                socklen_t(target.pointee.length)
            )
        }
        #expect(status == 0)
        close(left)
        #expect(folder.has("s"))
        let source = try open()
        // A socket listens there now.
        let error = try #require(throws: TransportError.self) { try open() }
        #expect("\(error)" == "cannot open 'unix:\(folder("s"))': another program listens there already")
        _ = source.meter
        try Peer(unix: folder("s")).send("still here\n")
    }

    @Test func leavesOtherFilesAlone() throws {
        try folder.write("s", "precious")
        let error = try #require(throws: TransportError.self) { try open() }
        #expect("\(error)".contains("no socket"))
        #expect(try String(contentsOfFile: folder("s"), encoding: .utf8) == "precious")
    }

    @Test func leavesAFileAloneThatAnotherProgramPutThere() throws {
        do {
            let source = try open()
            try FileManager.default.removeItem(atPath: folder("s"))
            try folder.write("s", "new")
            _ = source.meter
        }
        #expect(folder.has("s"))
    }

    @Test func saysWhatIsWrongWithAPath() throws {
        for place in ["", folder("missing/s"), folder(String(repeating: "x", count: 200)), "a\0b"] {
            #expect(throws: TransportError.self, "\(place)") { try UnixTransport().openSource(place) }
        }
    }

    #if os(Linux)
        @Test func takesNamesThatAreNoFiles() throws {
            let name = "@weir-test-\(UUID().uuidString)"
            let collector = Collector(try UnixTransport().openSource(name + "?accept=1"))
            let peer = try Peer(unix: name)
            peer.send("hello\n")
            peer.close()
            #expect(try collector.waitForEnd() == nil)
            #expect(collector.text == "hello\n")
        }
    #endif

    @Test func letsInWhoIsOnTheList() throws {
        let collector = Collector(try open("?users=\(getuid())&accept=1"))
        let peer = try Peer(unix: folder("s"))
        peer.send("welcome\n")
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "welcome\n")
    }

    @Test func turnsAwayWhoIsNot() throws {
        let collector = Collector(try open("?users=\(getuid() + 1)&groups=\(getgid() + 12_345)"))
        let peer = try Peer(unix: folder("s"))
        #expect(peer.receive() == "")
        try eventually("it was counted") { collector.metrics.refusedConnections == 1 }
        #expect(collector.metrics.openConnections == 0)
    }

    @Test func letsInWhoBelongsToAGroupOnTheList() throws {
        let collector = Collector(try open("?groups=\(getgid())&accept=1"))
        let peer = try Peer(unix: folder("s"))
        peer.send("welcome\n")
        peer.close()
        #expect(try collector.waitForEnd() == nil)
        #expect(collector.text == "welcome\n")
    }

    @Test func inheritedSocketsAreThoseForThisProcess() {
        let variables = ["LISTEN_PID": "42", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "first:second"]
        let sockets = InheritedSockets(environment: { variables[$0] }, process: 43)
        #expect(
            throws: TransportError.cannotOpen(
                address: "unix:?inherit=0",
                reason: "there is no inherited socket '0'; no socket was inherited"
            )
        ) {
            try UnixTransport(inherited: sockets).openSource("?inherit=0")
        }
        let ours = InheritedSockets(environment: { variables[$0] }, process: 42)
        #expect(
            throws: TransportError.cannotOpen(
                address: "unix:?inherit=third",
                reason: "there is no inherited socket 'third'; there are 2 inherited sockets"
            )
        ) {
            try UnixTransport(inherited: ours).openSource("?inherit=third")
        }
    }

    @Test func theSystemIsNotAskedForEachDatagramWhoSentIt() throws {
        let asked = Locked<[UInt32]>([])
        let clock = Locked<Int64>(0)
        let filter = try #require(
            try PeerFilter(
                users: "7",
                groups: "100000,100001",
                address: "test",
                isMember: { user, group in
                    asked.withLock { $0.append(user) }
                    return user == 5 && group == 100_001
                },
                now: { Moment(nanoseconds: clock.withLock { $0 }) }
            )
        )
        func permits(_ user: UInt32, _ group: UInt32 = 1) -> Bool {
            filter.permits(cweir_net_credentials_t(user: user, group: group))
        }
        for _ in 0..<100 {
            #expect(permits(7) && permits(3, 100_000) && permits(5) && !permits(6))
        }
        // Both groups, in any order.
        #expect(asked.withLock { $0.count { $0 == 6 } } == 2 && asked.withLock { $0.count } <= 4)
        clock.withLock { $0 = 6_000_000_000 }
        #expect(permits(5) && !permits(6))
        #expect(asked.withLock { $0.count { $0 == 6 } } == 4)
        for user in 10_000..<20_000 as Range<UInt32> { #expect(!permits(user)) }
        #expect(permits(5))
    }
}
