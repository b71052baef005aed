internal import WeirCore
internal import WeirRecords
internal import WeirState

// The threads that read the inputs.
extension MergedIntake {
    /// Reads an input to its end, on a thread of its own.
    static func read(
        _ input: RunRequest.Input,
        of request: RunRequest,
        _ schema: RecordSchema,
        _ timeField: Int,
        after newest: Timestamp,
        into queue: BoundedQueue<Piece>,
        _ open: () throws(HostError) -> any BatchReading
    ) {
        do {
            let reading = try open()
            defer { reading.handOver() }
            var gate = AheadGate(request, input, schema)
            let name = request.inputs.count > 1 ? input.name : nil
            var last = newest
            var isWanted = true
            let keepsPlaces = request.state != nil
            while isWanted {
                var piece: Piece?
                let hasMore = try reading.next { batch in
                    gate?.check(&batch)
                    var chunk = RecordChunk(schema: schema)
                    var times: [Timestamp] = []
                    var rejections = RejectedInput.all(of: batch) { _ in name }
                    for index in 0..<batch.count {
                        // The records of a batch may have one long text in common, which a chunk copies for each.
                        if chunk.byteCount >= Self.pieceLength {
                            isWanted = queue.push(
                                .records(chunk, times: times, rejections: [], byteCount: reading.byteCount, place: nil)
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
                    piece = .records(
                        chunk,
                        times: times,
                        rejections: rejections,
                        byteCount: reading.byteCount,
                        place: nil
                    )
                }
                guard hasMore else { break }
                // Where the reading is behind a batch can be told once that was given back.
                if case .records(let chunk, let times, let rejections, let byteCount, _)? = piece {
                    let place = keepsPlaces ? reading.place : nil
                    isWanted = queue.push(
                        .records(chunk, times: times, rejections: rejections, byteCount: byteCount, place: place)
                    )
                }
            }
            queue.push(.ended(place: keepsPlaces ? reading.place : nil))
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
