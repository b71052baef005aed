import WeirCore
import WeirCreation
import WeirFlow
import WeirSelection
import WeirWindows

/// The operators that go by time or number, of one stream.
extension RxStage {
    func buildByTime() throws {
        switch test.op {
        case "audit-time": record(self["e1"].audit(for: duration()))
        case "buffer-count": try buildBufferByCount()
        case "buffer-time": try buildBufferByTime()
        case "debounce-time": record(self["e1"].debounce(for: duration()))
        case "delay": buildDelay()
        case "sample-time": record(self["e1"].sample(every: duration("period")))
        case "throttle-time": buildThrottle()
        case "timeout": buildTimeout()
        default: record(self["e1"].collect(limit: 100).map { $0.joined() })
        }
    }

    private func buildBufferByCount() throws {
        guard let size = number(after: "maxSize: "), let slide = number(after: "startEvery: ") else {
            preconditionFailure("a buffer has a size")
        }
        if slide > size { throw RxSkip.refused }
        if slide < size {
            record(self["e1"].hopping(count: size, every: slide).map { $0.value.joined() })
        } else {
            record(self["e1"].buffer(size).map { $0.joined() })
        }
    }

    private func buildBufferByTime() throws {
        let input = self["e1"]
        if calls("interval") {
            guard calls("Infinity") else { throw RxSkip.noOperator(RxLack.fullBuffer) }
            record(input.hopping(duration(), every: duration("interval")).map { $0.value.joined() })
        } else if let limit = number(after: "null, ") {
            record(input.buffer(limit, within: duration()).map { $0.joined() })
        } else if calls("[take](2)") {
            record(input.buffer(every: duration()).map { $0.joined() }.take(2))
        } else {
            record(input.buffer(every: duration()).map { $0.joined() })
        }
    }

    private func buildDelay() {
        if calls("absoluteDelay") {
            record(self["e1"].delay(until: time(test.t["t"] ?? 0)))
        } else if calls("[concat]") {
            let start = time(0)
            let end = Values([("", start)]).delay(by: duration()).flatMap(.concat) { _ in EmptyStream<String>() }
            record(self["e1"].delay(by: duration()).concat(end))
        } else {
            record(self["e1"].delay(by: isNamed("negative") ? .seconds(-1) : duration()))
        }
    }

    private func buildThrottle() {
        let input = self["e1"]
        if calls("leading: false") {
            record(input.throttle(for: duration(), edges: .trailing))
        } else if calls("trailing: true") {
            record(input.throttle(for: duration(), edges: .both))
        } else {
            record(input.throttle(for: .seconds(number)))
        }
    }

    private func buildTimeout() {
        let source = self[test.ins[0].name]
        if calls("first:") {
            let (first, next) = (
                duration(test.t["first"] == nil ? "t" : "first"), test.t["each"].map { Duration.seconds($0) }
            )
            if calls("with:") {
                record(source.timeout(forFirst: first, after: next, switchingTo: self["inner"]))
            } else {
                record(source.timeout(forFirst: first, after: next))
            }
        } else if calls("with:") {
            record(source.timeout(after: duration(), switchingTo: self["inner"]))
        } else {
            record(source.timeout(after: duration()))
        }
    }
}
