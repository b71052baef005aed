internal import WeirCore
internal import WeirRecords

// What a pipeline tells people at its end.
extension Pipeline {
    /// Writes the summary to the console.
    func close(_ ending: Ending) {
        let console = context.console
        for remark in outlets.leftOut.remarks { console.writeLine(remark, about: request.name) }
        if earlierMatches + plugins.matchCount > 0, !outlets.missing.isEmpty {
            let names = outlets.missing.map { "'\($0)'" }.joined(separator: ", ")
            console.writeLine(
                "no match has \(names), which --output names; --output json shows what matches have",
                about: request.name
            )
        }
        for count in workers == nil ? allCounts : counts where count.value > 0 {
            console.writeLine("\(Quantity.grouped(count.value)) \(count.name)", about: request.name)
        }
        let matches = earlierMatches + plugins.matchCount
        switch ending {
        case .endOfInput, .interrupted:
            let advice = advice(matches)
            for remark in (workers == nil ? plugins.remarks : []) + advice.remarks + [advice.leftOut].compactMap({ $0 })
            {
                console.writeLine(remark, about: request.name)
            }
        case .outputClosed, .failed: break
        }
        if let page = request.report, outlets.hasBegun, case .interrupted = ending {
            console.writeLine("'\(page.name)' covers what was read until the interruption", about: request.name)
        }
        let summary = tally.summary(
            matches: matches,
            explains: request.queries?.explains ?? false,
            nanoseconds: progress.elapsedNanoseconds
        )
        switch ending {
        case .endOfInput:
            console.writeLine(tally.remark(byteCount: byteCount) + summary, about: request.name)
        case .interrupted: console.writeLine("interrupted; " + summary, about: request.name)
        case .outputClosed: break
        case .failed(let error):
            console.writeLine(error.message, about: request.name)
            if tally.events > 0 || tally.rejected > 0 {
                console.writeLine("stopped early; " + summary, about: request.name)
            }
        }
    }

    /// Why so much was found, or so little.
    func advice(_ matches: UInt64) -> RunAdvice {
        // Plugins that took the place of others may not have seen a record yet.
        let hasEvents = tally.events > eventsBefore
        let unseen = !hasEvents ? [] : workers == nil ? presence.unseen : unseenOfWorkers
        return RunAdvice(
            request: request,
            tally: tally,
            matches: matches,
            reasons: rejections.reasons,
            order: workers == nil ? plugins.order : order,
            takesAnyOrder: plugins.takesAnyOrder,
            unseen: named.filter { unseen.contains($0.index) },
            named: named,
            schema: plugins.schema,
            newest: watermark,
            available: request.fieldNames(in: intake?.sample),
            hasObjects: request.hasObjects(in: intake?.sample)
        )
    }

    /// How the program ends after this pipeline alone.
    func exitCode(of ending: Ending) -> ExitCode {
        switch ending {
        case .endOfInput:
            switch tally.exitCode(isStrict: request.isStrict) {
            case .done where !(request.queries?.flaws.isEmpty ?? true): .rulesLeftOut
            case let code: code
            }
        case .interrupted: .interrupted
        case .outputClosed: .done
        case .failed(let error): error.exitCode
        }
    }
}
