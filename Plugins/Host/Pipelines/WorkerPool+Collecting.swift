internal import WeirCore
internal import WeirRecords
internal import WeirState

// How the thread that writes brings together what workers found.
extension WorkerPool {
    /// Waits for the next batch to be done.
    ///
    /// Behind a cut, the workers stand still until they are released.
    ///
    /// - Returns: `nil` after the end of the inputs.
    /// - Throws: ``HostError``, or ``TransportError/interrupted(address:)``, once everything before was handed out.
    func next() throws -> BatchResult? {
        if let failure { throw failure }
        guard !hasEnded, let header = headers.pop() else { return nil }
        switch header {
        case .batch(
            let count,
            let rejections,
            let byteCount,
            let watermark,
            let counts,
            let order,
            let unseen,
            let start
        ):
            self.byteCount = byteCount
            (readCounts, readOrder, self.unseen) = (counts, order, unseen)
            self.watermark = watermark
            let answers = try takeAnswers()
            var result = BatchResult(start: start)
            (result.matches, result.rejections) = PluginResult.merged(answers.flatMap(\.results))
            let last = answers.flatMap(\.lastMatches)
            if !last.isEmpty { result.matches += form.sorted(last) }
            // Several plugins may refuse the same record, and others take it.
            result.events = UInt64(pluginCount == 1 ? max(0, count - result.rejections.count) : count)
            result.rejections = merge(rejections, result.rejections)
            fill(&result, from: answers)
            return result
        case .cut(let cut):
            isCutOnTheWay = false
            var result = BatchResult(start: MonotonicClock().now())
            let answers = try takeAnswers()
            lent = answers.compactMap(\.lent)
            fill(&result, from: answers)
            result.cut = cut
            return result
        case .ended: break
        case .failed(let error): failure = error
        case .interrupted: failure = TransportError.interrupted(address: "the inputs")
        }
        hasEnded = true
        let answers = try takeAnswers()
        var result = BatchResult(start: MonotonicClock().now())
        result.matches = form.sorted(answers.flatMap(\.lastMatches))
        fill(&result, from: answers)
        return result
    }

    func takeAnswers() throws(HostError) -> [Answer] {
        var taken: [Answer] = []
        for queue in answers {
            guard let answer = queue.pop() else { throw HostError(.internalError, "a worker has stopped") }
            if let failure = answer.failure { throw failure }
            taken.append(answer)
        }
        return taken
    }

    private func fill(_ result: inout BatchResult, from answers: [Answer]) {
        result.matchCount = answers.reduce(0) { $0 + $1.matchCount }
        result.byteCount = byteCount
        result.watermark = watermark
        result.order = readOrder
        for answer in answers { result.order.add(answer.order) }
        result.unseen = unseen
        guard let first = answers.first else { return }
        result.counts = first.counts.enumerated().map { index, count in
            (count.name, answers.reduce(0) { NamedCount.sum($0, index < $1.counts.count ? $1.counts[index].value : 0) })
        }
        result.counts += readCounts
    }

    /// Both kinds of rejections in the order of the input, where there is one input, or of the records.
    private func merge(_ early: [RejectedInput], _ late: [RejectedInput]) -> [RejectedInput] {
        guard !early.contains(where: { $0.position != nil }) else { return RejectedInput.merged(early, late) }
        guard inputCount == 1, !early.isEmpty, !late.isEmpty else { return early + late }
        return (early + late).enumerated()
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
            .map(\.element)
    }
}
