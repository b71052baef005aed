import Logging
import NIOCore
import Weir
import WeirFoundation

/// Publishes the lines of a connection, which may be cut into buffers anywhere.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let readings: EventChannel<Reading>
    private let logger: Logger
    private var reader = DecodableReader(Reading.self, format: .jsonLines)

    init(publishingInto readings: EventChannel<Reading>, logger: Logger) {
        self.readings = readings
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            try reader.read(unwrapInboundIn(data).readableBytesView, into: readings, onRejection: log)
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        do {
            try reader.finish(into: readings, onRejection: log)
        } catch {
            context.fireErrorCaught(error)
        }
        context.fireChannelInactive()
    }

    private func log(_ line: RejectedLine) {
        logger.notice("rejected", metadata: ["line": "\(line.line)", "reason": "\(line.reason)"])
    }
}
