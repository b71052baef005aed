import WeirCore
import WeirCreation
import WeirFlow
import WeirSelection
import WeirWindows

/// The operators that go by time or number, of one stream.
extension RxStage {
    func buildByTime() throws {
        switch test.op {
        case "audit-time": record(self["e1"].throttle(for: duration(), edges: .trailing))
        case "buffer-count": try buildBufferByCount()
        case "buffer-time": try buildBufferByTime()
        case "debounce-time": record(self["e1"].debounce(for: duration()))
        case "delay": try buildDelay()
        case "sample-time": record(self["e1"].sample(every: duration("period")))
        case "throttle-time": buildThrottle()
        case "timeout": try buildTimeout()
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
            record(input.buffer(every: duration(), limit: limit).map { $0.joined() })
        } else if calls("[take](2)") {
            record(input.buffer(every: duration()).map { $0.joined() }.take(2))
        } else {
            record(input.buffer(every: duration()).map { $0.joined() })
        }
    }

    private func buildDelay() throws {
        if calls("absoluteDelay") { throw RxSkip.noOperator(RxLack.untilTime) }
        if calls("[concat]") { throw RxSkip.noOperator(RxLack.delayedEnd) }
        record(self["e1"].delay(by: isNamed("negative") ? .seconds(-1) : duration()))
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

    private func buildTimeout() throws {
        if calls("first:") { throw RxSkip.noOperator(RxLack.firstTimeout) }
        if calls("with:") {
            let (inner, failed) = (self["inner"], cold("#"))
            record(self["source"].timeout(after: duration()).catch { $0 is FlowError ? inner : failed })
        } else {
            record(self["e1"].timeout(after: duration()))
        }
    }
}
