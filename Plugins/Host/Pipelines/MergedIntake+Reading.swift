internal import WeirCore
internal import WeirRecords

// The threads that read the inputs.
extension MergedIntake {
    /// Reads an input to its end, on a thread of its own.
    static func read(
        _ input: RunRequest.Input,
        of request: RunRequest,
        _ schema: RecordSchema,
        _ timeField: Int,
        into queue: BoundedQueue<Piece>,
        _ open: () throws(HostError) -> HeadKeepingSource
    ) {
        do {
            let source = try open()
            let reading = request.makeReading(
                of: source,
                input,
                schema: schema,
                batchCapacity: RunningPlugins.batchCapacity
            )
            defer { reading.handOver() }
            var gate = AheadGate(request, input, schema)
            let name = request.inputs.count > 1 ? input.name : nil
            var last = Timestamp.distantPast
            var isWanted = true
            while isWanted {
                let hasMore = try reading.next { batch in
                    gate?.check(&batch)
                    var chunk = RecordChunk(schema: schema)
                    var times: [Timestamp] = []
                    var rejections = RejectedInput.all(of: batch) { _ in name }
                    for index in 0..<batch.count {
                        // The records of a batch may have one long text in common, which a chunk copies for each.
                        if chunk.byteCount >= Self.pieceLength {
                            isWanted = queue.push(
                                .records(chunk, times: times, rejections: [], byteCount: reading.byteCount)
                            )
                            (chunk, times) = (RecordChunk(schema: schema), [])
                        }
                        guard chunk.append(recordAt: index, of: batch) else {
                            rejections.append(RejectedInput(tooLargeRecordAt: index, of: batch, from: name))
                            continue
                        }
                        last = max(last, batch.time(ofField: timeField, inRecordAt: index) ?? last)
                        times.append(last)
                    }
                    isWanted = queue.push(
                        .records(chunk, times: times, rejections: rejections, byteCount: reading.byteCount)
                    )
                }
                guard hasMore else { break }
            }
            queue.push(.ended)
        } catch let error as HostError {
            queue.push(error.exitCode == .interrupted ? .interrupted : .failed(error))
        } catch TransportError.interrupted {
            queue.push(.interrupted)
        } catch let error as FormatError {
            queue.push(.failed(HostError(.noInput, request.explain(error, in: input))))
        } catch {
            queue.push(.failed(HostError(.noInput, "\(error)")))
        }
    }
}
