import CWeirFaults
import CWeirSockets
import WeirCore
import WeirNATS
import WeirRecords

@testable import WeirSockets

#if canImport(Glibc)
    import Glibc
#endif

/// What libFuzzer calls with each input that it makes up.
///
/// The first byte chooses what is tried; the rest is what strangers send, the contents of a file, or the text of an
/// address. Whatever has a simple model is compared with it.
@c
public func LLVMFuzzerTestOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 1 else { return 0 }
    var input = Input(unsafe Array(UnsafeBufferPointer(start: data + 1, count: count - 1))[...])
    switch unsafe data[0] % 17 {
    case 0: checkAuthenticator(&input, key: nil)
    case 1: checkAuthenticator(&input, key: Array("0123456789abcdef".utf8))
    case 2: checkSenders(&input)
    case 3: checkMessages(&input, .lines)
    case 4: checkMessages(&input, .length)
    case 5: checkConnection(&input, .lines)
    case 6: checkConnection(&input, .length)
    case 7: checkAddress(&input)
    case 8: checkValues(&input)
    case 9: checkRange(&input)
    case 10: checkSpill(&input, isSound: false)
    case 11: checkSpill(&input, isSound: true)
    case 12: checkConnection(&input, .octets)
    case 13: checkRequests(&input)
    case 14: checkAnswer(&input)
    case 15: checkElements(&input)
    default: checkServer(&input)
    }
    return 0
}

/// A precondition that says what is wrong in optimised code as well.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// The bytes that are left of an input.
struct Input {
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number() -> UInt64 { (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) } }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// What is left, as a text.
    var text: String { String(decoding: rest, as: UTF8.self) }
}

// MARK: Authenticated datagrams

private let now: Int64 = 1_000_000_000_000

private func open(_ authenticator: DatagramAuthenticator, _ datagram: [UInt8], _ senders: ReplayWindow)
    -> DatagramAuthenticator.Verdict
{
    // Exactly as long as it is, so that the sanitizer sees a step beyond its end.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: datagram.count, alignment: 1)
    defer { unsafe memory.deallocate() }
    unsafe memory.copyBytes(from: datagram)
    return unsafe authenticator.verify(UnsafeRawBufferPointer(memory), senders)
}

private func wrapped(_ authenticator: DatagramAuthenticator, _ payload: [UInt8], sender: UInt64, sequence: UInt64)
    -> [UInt8]
{
    var datagram = [UInt8](repeating: 0, count: payload.count + authenticator.overhead)
    unsafe datagram.withUnsafeMutableBytes { target in
        unsafe payload.withUnsafeBytes {
            unsafe authenticator.write($0, sender: sender, sequence: sequence, into: target)
        }
    }
    return datagram
}

/// What arrives is opened as it is; what was authenticated is opened unless a byte of it was changed.
private func checkAuthenticator(_ input: inout Input, key: [UInt8]?) {
    let authenticator = DatagramAuthenticator(key: key.map { SigningKey($0) })
    _ = open(authenticator, Array(input.rest), ReplayWindow(window: .seconds(30), clock: { now }))
    let (place, change, sequence) = (Int(input.byte()), input.byte(), input.number() >> 2)
    let payload = Array(input.rest)
    var datagram = wrapped(authenticator, payload, sender: 7, sequence: sequence)
    let senders = ReplayWindow(window: .seconds(30))
    datagram[place % datagram.count] ^= change
    let opened = open(authenticator, datagram, senders)
    guard change == 0 || key != nil else { return }
    if case .payload(let range) = opened {
        require(change == 0, "a changed datagram was taken")
        require(Array(datagram[range]) == payload, "another payload")
        guard case .refused(.replayed) = open(authenticator, datagram, senders) else { fatalError("a replay") }
    } else {
        require(change != 0, "a datagram that was not changed is refused: \(opened)")
        require(senders.lost == 0, "what proves nothing leaves a trace")
    }
}

/// Numbers of a few senders: each is taken once, and none that is older than the table remembers.
private func checkSenders(_ input: inout Input) {
    let table = ReplayWindow(window: .seconds(30), clock: { now })
    var seen: [UInt64: (numbers: Set<UInt64>, highest: UInt64, first: UInt64)] = [:]
    var last: UInt64 = 0
    while !input.rest.isEmpty {
        let step = input.byte()
        let sender = UInt64(step & 3)
        // Mostly near the last one; from anywhere now and then.
        last = step & 4 == 0 ? last &+ UInt64(step >> 3) : step & 8 == 0 ? last &- UInt64(input.byte()) : input.number()
        let verdict = table.admit(sender: sender, sequence: last, time: nil)
        guard last < 1 << 62 else {
            require(verdict == .replayed, "a number that cannot be counted on from was taken")
            continue
        }
        var known = seen[sender] ?? ([], last < 1024 ? 0 : last, last < 1024 ? 0 : last)
        let isOld = known.highest >= 1024 && last <= known.highest - 1024
        let isFresh = !isOld && !known.numbers.contains(last)
        require((verdict == .fresh) == isFresh, "\(last) after \(known.highest): \(verdict)")
        if isFresh {
            known.numbers.insert(last)
            known.highest = max(known.highest, last)
        }
        seen[sender] = known
    }
    var lost = 0.0
    for known in seen.values {
        lost += Double(known.highest - known.first + 1) - Double(known.numbers.count { $0 >= known.first })
    }
    // Above that the model is not exact, and far above it the count stands still.
    require(lost >= 1e15 || table.lost == UInt64(lost), "\(table.lost) lost instead of \(lost)")
}

// MARK: Messages in streams

/// What should become of the messages of some bytes.
private struct Model: Equatable {
    var kept: [UInt8] = []
    var count: UInt64 = 0
    var tooLong: UInt64 = 0

    /// Whether the bytes end in the middle of a message that is not too long already.
    var isUnfinished = false

    init(_ bytes: [UInt8], _ boundary: Boundary, limit: Int) {
        switch boundary {
        case .lines: takeLines(bytes, limit)
        case .octets: takeOctets(bytes[...], limit)
        default: takeFrames(bytes[...], limit)
        }
    }

    private mutating func takeLines(_ bytes: [UInt8], _ limit: Int) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropLast() { take(line.count <= limit, line + [UInt8(ascii: "\n")]) }
        guard let rest = lines.last, !rest.isEmpty else { return }
        if rest.count > limit { tooLong += 1 } else { isUnfinished = true }
    }

    private mutating func takeFrames(_ bytes: ArraySlice<UInt8>, _ limit: Int) {
        var bytes = bytes
        while bytes.count >= 4 {
            let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let isWhole = bytes.count >= 4 + length
            guard isWhole || length > limit else { break }
            take(length <= limit, bytes.prefix(4 + length))
            bytes = bytes.dropFirst(4 + length)
        }
        isUnfinished = !bytes.isEmpty
    }

    private mutating func takeOctets(_ bytes: ArraySlice<UInt8>, _ limit: Int) {
        var bytes = bytes
        while let first = bytes.first {
            let digits = bytes.prefix(10).prefix { (0x30...0x39).contains($0) }
            let behind = bytes.dropFirst(digits.count).first
            let isCounted = !digits.isEmpty && first != 0x30 && digits.count < 10
            if first == 0x0a {
                bytes = bytes.dropFirst()
            } else if isCounted, behind == 0x20 {
                let length = Int(String(decoding: digits, as: UTF8.self)) ?? 0
                let isWhole = bytes.count >= digits.count + 1 + length
                guard isWhole || length > limit else { break }
                let message = bytes.dropFirst(digits.count + 1).prefix(length)
                take(length <= limit, (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + message)
                bytes = bytes.dropFirst(digits.count + 1 + length)
            } else if isCounted, behind == nil {
                break
            } else {
                let line = bytes.prefix { $0 != 0x0a }
                guard line.count < bytes.count || line.count > limit else { break }
                take(line.count <= limit, (0..<4).map { UInt8(truncatingIfNeeded: line.count >> (24 - 8 * $0)) } + line)
                bytes = bytes.dropFirst(line.count + 1)
            }
        }
        isUnfinished = !bytes.isEmpty
    }

    private mutating func take(_ isKept: Bool, _ message: ArraySlice<UInt8>) {
        if isKept {
            kept += message
            count += 1
        } else {
            tooLong += 1
        }
    }
}

/// The search for whole messages in a buffer.
private func checkMessages(_ input: inout Input, _ boundary: Boundary) {
    let limit = Int(input.byte())
    let bytes = Array(input.rest)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { unsafe memory.deallocate() }
    unsafe memory.copyBytes(from: bytes)
    let found = unsafe boundary.take(memory, limit: limit)
    // Whole messages only: what is left of a line stays, and is the reader's to judge.
    let last = boundary == .lines ? (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1 : bytes.count
    let model = Model(Array(bytes[..<last]), boundary, limit: limit)
    require(unsafe Array(memory[..<found.kept]) == model.kept, "other bytes")
    require(found.count == model.count && found.tooLong == model.tooLong, "other counts")
    require(found.consumed <= bytes.count, "more was consumed than there was")
    require(
        (found.consumed + Int(clamping: found.skip) < bytes.count || found.skip > 0)
            == (found.skip > 0 || found.consumed < bytes.count),
        "the rest is lost"
    )
}

/// What a source of connections makes of bytes that arrive in pieces.
private func checkConnection(_ input: inout Input, _ boundary: Boundary) {
    let (size, seed) = (input.byte(), input.byte())
    let limit = 16 + Int(size)
    let bytes = Array(input.rest)
    let model = Model(bytes, boundary, limit: limit)
    let name = "@weir-fuzz-\(getpid())"
    do {
        let source = try UnixTransport().openSource("\(name)?accept=1&max-line=\(limit)&framing=\(boundary.rawValue)")
        let target = try UnixPlace(name, inherits: false, address: name).address(for: name)
        let peer = unsafe withUnsafePointer(to: target) { target in
            let peer = unsafe cweir_net_socket(target, SocketKind.stream.number)
            require(unsafe cweir_net_connect(peer, target) == 0, "it does not listen")
            return peer
        }
        let sent = unsafe bytes.withUnsafeBytes {
            unsafe $0.baseAddress.map { unsafe cweir_net_send(peer, $0, bytes.count) } ?? 0
        }
        require(sent == bytes.count, "what libFuzzer makes up fits a socket's buffer")
        cweir_net_close(peer)
        let kinds = CWEIR_FAULT_INTERRUPTED | CWEIR_FAULT_PARTIAL
        _ = cweir_faults_begin(UInt64(seed), UInt32(kinds), 2 + UInt32(seed & 3))
        defer { _ = cweir_faults_end() }
        var kept: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { unsafe buffer.deallocate() }
        while case let count = unsafe try source.read(into: buffer), count > 0 { unsafe kept += buffer[..<count] }
        let metrics = source.meter?.metrics ?? TransportMetrics()
        require(kept == model.kept, "other bytes")
        require(metrics.delivered == model.count && metrics[.tooLong] == model.tooLong, "\(metrics), not \(model)")
        require(metrics[.unfinished] == (model.isUnfinished ? 1 : 0) && metrics.isBalanced, "\(metrics), not \(model)")
    } catch {
        fatalError("\(error)")
    }
}

// MARK: HTTP

/// Requests, one after the other: whatever pieces they come in, the same is taken and refused.
private func checkRequests(_ input: inout Input) {
    let (limit, piece) = (Int(input.byte()), 1 + Int(input.byte() & 31))
    let bytes = Array(input.rest)
    var rules = HTTPRequest.Rules()
    rules.bodyLimit = limit
    func read(_ piece: Int) -> [String] {
        var connection = HTTPConnection(-1, now: .now)
        var found: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            unsafe next.withUnsafeBytes { unsafe connection.receive($0, now: .now) }
            do throws(HTTPFlaw) {
                while case let step = try connection.step(rules, headLimit: 256), !isWaiting(step) {
                    guard case .request(let request) = step else { continue }
                    require(connection.body.count <= limit, "a body that is too long")
                    found.append("\(request.isJSON) \(request.keepsConnection) \(connection.body)")
                    connection.forgetBody()
                    connection.beginNext(.now)
                }
            } catch {
                // What is said of too much depends on how much was there.
                return found + [[413, 431].contains(error.status) ? "too long" : "\(error.status)"]
            }
        }
        return found
    }
    let (whole, cut) = (read(bytes.count + 1), read(piece))
    // A head that is too long may be refused for it before something else in it is seen.
    let isSame = whole == cut || (whole.dropLast() == cut.dropLast() && cut.last == "too long")
    require(isSame, "the cuts matter: \(whole), \(cut)")
}

private func isWaiting(_ step: HTTPConnection.Step) -> Bool {
    if case .needsMore = step { true } else { false }
}

/// An answer: whatever pieces it comes in, it is the same.
private func checkAnswer(_ input: inout Input) {
    let piece = 1 + Int(input.byte() & 31)
    let bytes = Array(input.rest)
    func read(_ piece: Int) -> String {
        var reader = HTTPAnswerReader()
        var rest = bytes[...]
        do throws(HTTPFlaw) {
            while true {
                let next = Array(rest.prefix(piece))
                rest = rest.dropFirst(piece)
                var found: HTTPAnswerReader.Answer?
                var flaw: HTTPFlaw?
                unsafe next.withUnsafeBytes { bytes in
                    do throws(HTTPFlaw) { found = unsafe try reader.take(bytes, isEnd: next.isEmpty) } catch {
                        flaw = error
                    }
                }
                if let flaw { throw flaw }
                guard let found else { continue }
                require((200..<600).contains(found.status), "no status")
                return "\(found.status) \(found.keepsConnection) \(found.retryAfter ?? -1)"
            }
        } catch {
            return "\(error.status)"
        }
    }
    let (whole, cut) = (read(bytes.count + 1), read(piece))
    require(whole == cut, "the cuts matter: \(whole), \(cut)")
}

/// The elements of an array: put together they are the same array again.
private func checkElements(_ input: inout Input) {
    func elements(_ text: [UInt8]) -> [[UInt8]]? {
        var elements: [[UInt8]] = []
        do throws(HTTPFlaw) { try JSONElements.split(text) { elements.append(Array($0)) } } catch { return nil }
        return elements
    }
    guard let found = elements(Array(input.rest)) else { return }
    require(found.allSatisfy { $0.firstIndex(of: 0x0a) == $0.count - 1 && $0.count > 1 }, "a line that is none")
    let array = [UInt8(ascii: "[")] + found.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    guard let again = elements(array) else { fatalError("what was an array is none any more") }
    require(again == found, "other elements")
}

// MARK: Addresses

/// Options of addresses, without opening them: what was understood is understood again when it is written anew.
private func checkAddress(_ input: inout Input) {
    let transports: [any Transport] = [
        UDPTransport(), UnixTransport(), UnixDatagramTransport(), UnixPacketTransport(), TCPTransport(),
        HTTPTransport(),
        ExecTransport(), NATSTransport(),
    ]
    let choice = Int(input.byte())
    // The two highest bits choose among those that came later, so that old inputs mean what they did.
    let transport = transports[min(choice & 3 + (choice >> 6) * 4, transports.count - 1)]
    let options = choice & 4 == 0 ? transport.sourceOptions : transport.sinkOptions
    func read(_ text: String) throws(TransportError) -> TransportAddress {
        try TransportAddress(text, scheme: transport.scheme, options: options, direction: "a source")
    }
    guard let parts = try? read(input.text) else { return }
    func escaped(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let pairs = parts.options.given.map { "\(escaped($0.key))=\(escaped($0.value))" }
    do {
        let again = try read(parts.place + "?" + pairs.joined(separator: "&"))
        require(again.place == parts.place && again.options.given == parts.options.given, "it is read otherwise")
        // The values as the transports read them.
        if choice & 4 == 0, transport.scheme.hasPrefix("unix") {
            _ = try? parts.options.unixSettings(parts.place, address: "fuzz")
            _ = try? parts.options.peerFilter(address: "fuzz")
        }
    } catch {
        fatalError("\(error)")
    }
}

/// Durations, sizes, hosts and ports, and what a starter says in the environment.
private func checkValues(_ input: inout Input) {
    let text = input.text
    if let duration = Duration(text: text) { require(duration >= .zero, "a negative duration") }
    if let size = ByteSize.parse(text) { require(ByteSize.parse(ByteSize.text(size)) == size, "another size") }
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let variables: [String: String?] = [
        "LISTEN_PID": parts[0], "LISTEN_FDS": parts.dropFirst().first, "LISTEN_FDNAMES": parts.last,
    ]
    _ = InheritedSockets(environment: { variables[$0] ?? nil }, process: 1)
    // Names would be looked up, and that is not what is tried here.
    guard text.utf8.allSatisfy({ (0x2d...0x3a).contains($0) || $0 == 0x5b || $0 == 0x5d || $0 == 0x2a }),
        let address = try? HostAddress(text, whole: text, loopback: true)
    else { return }
    let port = text.split(separator: ":").last.map(String.init) ?? ""
    require(port.utf8.allSatisfy { (0x30...0x39).contains($0) }, "'\(port)' is no port")
    require(Int(port) == Int(address.address.port), "another port")
}

/// A range of addresses, and one that is in it or not.
private func checkRange(_ input: inout Input) {
    let host = input.bytes(16)
    let text = input.text
    guard host.count == 16, let range = NetworkRange(text) else { return }
    let parts = text.split(separator: "/")
    var base = [UInt8](repeating: 0, count: 16)
    let family = unsafe cweir_net_parse_number(String(parts[0]), &base)
    let isOld = family == 4
    if isOld { base = [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + base[..<4] }
    let length = (parts.count > 1 ? Int(parts[1]) ?? -1 : isOld ? 32 : 128) + (isOld ? 96 : 0)
    func bits(_ bytes: [UInt8]) -> [Bool] { bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 == 1 } } }
    require((0...128).contains(length), "a prefix of \(length) bits")
    let isInside = bits(host).prefix(length) == bits(base).prefix(length)
    require(range.contains(HostNumber(host, isIPv4: false)) == isInside, "'\(text)' and \(host)")
    require(range.contains(HostNumber(base, isIPv4: false)), "'\(text)' is not in itself")
}

// MARK: Spill files

private let spillPath = "/tmp/weir-fuzz-\(getpid())"

/// A spill that another program left: it is refused and stays as it is, or what it holds can be read to its end.
private func checkSpill(_ input: inout Input, isSound: Bool) {
    var bytes = isSound ? soundSpill(&input) : Array("WEIRSPL1".utf8) + input.rest
    if !isSound, input.rest.first == 0 { bytes.removeFirst() }
    let file = unsafe cweir_net_open_spill(spillPath)
    require(file >= 0, "there is no folder for the spill")
    defer { unlink(spillPath) }
    require(unsafe cweir_net_write_at(file, bytes, bytes.count, 0) == bytes.count, "the disk is full")
    cweir_net_close(file)
    do throws(TransportError) {
        let spill = try SpillFile(path: spillPath, limit: 1 << 20, address: "fuzz")
        var batch = OutgoingBatch()
        unsafe Array("the last\n".utf8).withUnsafeBytes { unsafe batch.append(lines: $0, count: 1) }
        require(spill.messages == spill.found, "it holds other messages than were found")
        require(spill.append(batch), "a small file has no room")
        var found: UInt64 = 0
        var last: [UInt8] = []
        while let batch = spill.first() {
            found += batch.messages
            last = batch.bytes
            if !batch.ends.isEmpty {
                for message in 0..<batch.ends.count { _ = batch.bytes[batch.range(ofMessage: message)] }
            }
            spill.removeFirst()
        }
        require(spill.isEmpty && spill.messages == 0, "\(spill.messages) messages cannot be read")
        require(found == spill.found + 1 && last == batch.bytes, "\(found) messages instead of \(spill.found + 1)")
    } catch {
        require("\(error)".contains("another kind of file"), "\(error)")
    }
}

/// A spill with right lengths and checksums, so that what is between them is tried.
private func soundSpill(_ input: inout Input) -> [UInt8] {
    func little(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var records: [UInt8] = []
    while !input.rest.isEmpty {
        let (messages, count, length) = (input.byte(), Int(input.byte() & 7), Int(input.byte()))
        let payload =
            little(UInt32(count)) + (0..<count).flatMap { _ in little(UInt32(input.byte())) } + input.bytes(length)
        let sum = unsafe payload.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe cweir_net_crc32($0, bytes.count) } ?? 0
        }
        records += little(UInt32(payload.count)) + little(sum) + little(UInt32(messages)) + payload
    }
    return Array("WEIRSPL1".utf8) + little(UInt64(16)) + records
}
