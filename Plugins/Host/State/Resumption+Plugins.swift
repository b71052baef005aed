internal import WeirCore
internal import WeirRecords
internal import WeirState

// How plugins get back what those before them knew.
extension Resumption {
    /// Gives plugins back what those before knew, as far as it fits.
    ///
    /// - Parameters:
    ///   - plugins: The plugins; nothing was read yet.
    ///   - worker: The worker whose plugins they are; `nil` where there are no workers.
    /// - Throws: ``HostError`` when it does not fit, unless that is allowed.
    func restore(_ plugins: RunningPlugins, of worker: WorkerPlace? = nil) throws(HostError) {
        let names = plugins.names.map { worker?.name(of: $0) ?? $0 }
        for consumer in checkpoint.consumers {
            guard let index = names.firstIndex(of: consumer.name) else { continue }
            try restore(consumer, as: plugins.names[index], plugins)
        }
        for name in names where !checkpoint.consumers.contains(where: { $0.name == name }) {
            try drop("'\(name)' is a new plugin", "it begins")
        }
        plugins.noteCountsGivenBack()
        // What is nobody's is said once.
        guard worker?.index ?? 0 == 0 else { return }
        let all = worker.map { worker in
            plugins.names.flatMap { name in
                (0..<worker.count).map { WorkerPlace(index: $0, count: worker.count).name(of: name) }
            }
        }
        for consumer in checkpoint.consumers where !(all ?? names).contains(consumer.name) {
            try drop("there is no plugin '\(consumer.name)' any more", Self.loss(of: consumer))
        }
    }

    private static func loss(of consumer: RunCheckpoint.Consumer) -> String {
        let partial = consumer.partialMatches.map {
            Quantity.counted(UInt64(max(0, $0)), "partial match", "partial matches")
        }
        return "that is lost" + (partial.map { ", with \($0)" } ?? "")
    }

    private func restore(
        _ consumer: RunCheckpoint.Consumer,
        as name: String,
        _ plugins: RunningPlugins
    ) throws(HostError) {
        do {
            switch try plugins.restore(
                consumer.bytes,
                of: name,
                consumer.fingerprint,
                droppingMismatches: request.dropsMismatch
            ) {
            case .restored(let report):
                guard let losses = report?.losses else { return }
                remark("a part of what '\(consumer.name)' knew does not fit any more, and is lost: \(losses)")
            case .isOther(let report):
                let losses = report?.losses.map { ": \($0)" } ?? ""
                try drop(
                    "what '\(consumer.name)' knew does not fit any more\(losses)",
                    Self.loss(of: consumer)
                )
            case .isGone: return
            }
        } catch let error as HostError {
            throw error
        } catch {
            // Half of it may have been given back.
            throw HostError(
                .noInput,
                "--\(request.option.name): what '\(consumer.name)' knew cannot be read: \(error); begin anew in another folder"
            )
        }
    }

    /// The same without what plugins knew, which takes most of the memory.
    var withoutConsumers: Resumption {
        var start = checkpoint
        start.consumers = []
        return Resumption(checkpoint: start, request: request, remark: remark)
    }

    /// A time that was kept.
    func time(_ name: String) -> Timestamp? {
        checkpoint.parts.first { $0.name == name }?.time
    }
}

extension RunCheckpoint.Part {
    /// A time by its name.
    init(name: String, time: Timestamp) {
        let number = UInt64(bitPattern: time.nanosecondsSinceEpoch)
        self.init(name: name, bytes: (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// The time that it was made of; `nil` where it is no time.
    var time: Timestamp? {
        guard bytes.count == 8 else { return nil }
        let number = bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }
        return Timestamp(nanosecondsSinceEpoch: Int64(bitPattern: number))
    }
}

extension RestoreReport {
    /// What of a checkpoint did not fit, part by part; `nil` where nothing was in that.
    var losses: String? {
        let parts =
            changed.map { (section: $0, reason: "changed") } + dropped.map { (section: $0, reason: "no longer there") }
        let texts = parts.filter { $0.section.items > 0 }
            .map { part in
                "'\(part.section.name)' is \(part.reason), with "
                    + Quantity.counted(UInt64(part.section.items), "element", "elements")
            }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
