public import WeirCore

extension Flow where Handle == Void {
    /// Puts operators of streams into a graph: the whole chain runs as one stage, at the speed of a pipeline.
    ///
    ///     source.via(Flow { $0.filter { $0.isValid }.map { $0.celsius } })
    ///
    /// The chain gets elements, watermarks and the completion in order. If it emits more than the demand, the rest
    /// waits, and no more elements are taken meanwhile.
    ///
    /// - Parameter build: Makes the chain of the stream that it begins with; called once for each run.
    @inlinable
    public init<Chain: EventStream>(
        _ build: @escaping @Sendable (ChainEntry<Input>) -> Chain
    ) where Chain.Element == Output {
        self.init(unchecked: { builder in
            let ports = builder.addLinear("operators") {
                (context, inlet: Wire<Input>, outlet: Wire<Output>) in
                let output = SharedCell(driven: ChainOutput<Output>())
                let box = ChainBox<Input>()
                build(ChainEntry(box)).attach(ChainExitSink(output))
                let chain = box.take()
                let hasEnded = context.keep(false)
                context.state.addField { state throws(StateError) in try output.value.exchangeState(&state) }
                context.state.addPart(chain.exchange)
                return {
                    if outlet.isClosed { return inlet.cancel() }
                    while true {
                        output.value.pour(into: outlet)
                        guard output.value.isEmpty, output.value.completion == nil else { break }
                        let number = min(inlet.available, outlet.demand)
                        if number > 0 {
                            inlet.take(number) { elements, range in chain.receive(elements, range) }
                        } else if let watermark = inlet.takeWatermark() {
                            chain.advance(watermark)
                        } else if inlet.isDrained, !hasEnded.value, let completion = inlet.completion {
                            hasEnded.value = true
                            chain.finish(completion)
                        } else {
                            break
                        }
                    }
                    guard output.value.isEmpty else { return }
                    if let completion = output.value.completion {
                        outlet.finish(completion)
                        inlet.cancel()
                    } else if outlet.wantsMore {
                        inlet.request(upTo: outlet.demand)
                    }
                }
            }
            return (ports, ())
        })
    }
}
