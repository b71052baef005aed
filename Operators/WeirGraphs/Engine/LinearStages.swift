public import WeirCore

extension GraphBuilder {
    /// Adds a stage with one inlet and one outlet.
    @inlinable
    func addLinear<Input, Output>(
        _ name: String,
        isExternal: Bool = false,
        _ make: @escaping @Sendable (StageContext, Wire<Input>, Wire<Output>) -> () -> Void
    ) -> FlowPorts<Input, Output> {
        let stage = addStage(name, inlets: ["in"], outlets: ["out"], isExternal: isExternal) { context in
            make(context, context.inlet(0, of: Input.self), context.outlet(0, of: Output.self))
        }
        return FlowPorts(Inlet(self, stage, 0), Outlet(self, stage, 0))
    }
}

extension Flow where Handle == Void {
    /// A flow that makes at most one element of each, batch by batch.
    ///
    /// `makeTransform` makes the transform and its state for one run; the transform appends its results for the
    /// elements in a range, and returns an error to end with.
    @inlinable
    static func transforming(
        _ name: String,
        _ makeTransform:
            @escaping @Sendable (StageContext) -> (
                ContiguousArray<Timed<Input>>, Range<Int>, inout OutputSpan<Timed<Output>>
            ) -> (any Error)?
    ) -> Flow {
        Flow(unchecked: { builder in
            let ports =
                builder.addLinear(name) { context, inlet, outlet in
                    let transform = makeTransform(context)
                    return {
                        if outlet.isClosed { return inlet.cancel() }
                        while true {
                            let number = min(inlet.available, outlet.demand)
                            if number > 0 {
                                var error: (any Error)?
                                inlet.take(number) { elements, range in
                                    outlet.push(upTo: number) { output in error = transform(elements, range, &output) }
                                }
                                if let error {
                                    outlet.finish(.failed(error))
                                    return inlet.cancel()
                                }
                            } else if let watermark = inlet.takeWatermark() {
                                outlet.advance(to: watermark)
                            } else {
                                break
                            }
                        }
                        inlet.passOn(to: outlet)
                    }
                } as FlowPorts<Input, Output>
            return (ports, ())
        })
    }
}

extension Wire {
    /// Ends the outlet when this inlet has ended, or forwards the demand otherwise.
    @inlinable
    func passOn<Output>(to outlet: Wire<Output>) {
        if isDrained, let completion {
            outlet.finish(completion)
            cancel()
        } else if outlet.wantsMore {
            request(upTo: outlet.demand)
        }
    }
}
