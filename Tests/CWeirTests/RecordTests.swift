import CWeir
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct CRecordTests {
    private struct NoMemory: Error {}

    /// Takes rows as a decoder does that judges each row that is not taken.
    ///
    /// - Returns: For each call how many rows it took.
    private static func taken(
        _ index: UnsafeMutablePointer<cweir_index_t>,
        fieldCount: Int,
        judge: (Range<Int>) -> Void,
        take: (inout cweir_records_t) -> Int
    ) -> [Int] {
        let room = 1 << 12
        let slots = UnsafeMutablePointer<cweir_slot_t>.allocate(capacity: room * max(1, fieldCount))
        let rows = UnsafeMutablePointer<cweir_row_t>.allocate(capacity: room)
        defer {
            unsafe slots.deallocate()
            unsafe rows.deallocate()
        }
        var counts: [Int] = []
        while true {
            var records = unsafe cweir_records_t(
                slots: slots,
                rows: rows,
                field_count: fieldCount,
                room: room,
                origin: 0,
                length_limit: 1 << 20,
                line: 1
            )
            unsafe counts.append(take(&records))
            let (next, count) = unsafe (index.pointee.next_row, index.pointee.row_count)
            guard next < count else { return counts }
            let start = Int(unsafe cweir_index_next_start(index))
            let end = Int(unsafe index.pointee.marks[Int(index.pointee.row_ends[Int(next)])])
            judge(start..<end)
            #expect(unsafe cweir_index_skip(index, end + 1))
        }
    }

    @Test func aRowThatIsJudgedHasNotAllRowsCheckedAgain() throws {
        guard let index = unsafe cweir_index_create(1 << 10, 1 << 14, cweir_kernel_best()) else {
            throw NoMemory()
        }
        defer { unsafe cweir_index_destroy(index) }
        var text = Array("é,1\n\né,2\nx\n!,3\nü,4\n\n".utf8)
        // The rows before it are valid, those behind it are checked on their own.
        let broken = try #require(text.firstIndex(of: UInt8(ascii: "!")))
        text[broken] = 0xFF
        let rows = unsafe text.withUnsafeMutableBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return [Int]() }
            unsafe cweir_index_csv(index, base, bytes.count, 1 << 10, UInt8(ascii: ","), true)
            var columns: [Int32] = [0]
            var judged = 0
            return unsafe Self.taken(
                index,
                fieldCount: 1,
                judge: { _ in
                    judged += 1
                    // Found to be valid before: nothing looks at it again.
                    if judged == 1,
                        let place = bytes.indices.last(where: { unsafe $0 < broken && bytes[$0] == 0xC3 })
                    {
                        unsafe bytes[place] = 0xFF
                    }
                },
                take: { records in unsafe cweir_take_csv(index, base, &columns, 2, &records) }
            )
        }
        // Judged are the empty rows, the one of one field, and the one that is not valid.
        #expect(rows == [1, 1, 0, 1, 0])
    }

    @Test func linesThatLookAlikeAreLearnedBehindManyThatDoNot() throws {
        let odd = (0..<20).map { "{\"k\($0)\":1}\n" }.joined()
        let text = Array((odd + String(repeating: "{\"x\":1}\n", count: 900) + String(repeating: " ", count: 64)).utf8)
        guard let index = unsafe cweir_index_create(1 << 10, 1 << 14, cweir_kernel_best()),
            let shapes = unsafe cweir_shapes_create(0)
        else { throw NoMemory() }
        defer {
            unsafe cweir_index_destroy(index)
            unsafe cweir_shapes_destroy(shapes)
        }
        let rows = unsafe text.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return [Int]() }
            unsafe cweir_index_json_lines(index, base, bytes.count, 1 << 10)
            var slot = cweir_slot_t()
            return unsafe Self.taken(
                index,
                fieldCount: 0,
                judge: { line in
                    unsafe cweir_shapes_learn(
                        shapes,
                        base + line.lowerBound,
                        line.count,
                        &slot,
                        UInt32(line.lowerBound)
                    )
                },
                take: { records in unsafe cweir_take_json_lines(index, base, bytes.count, shapes, &records) }
            )
        }
        #expect(rows.reduce(0, +) > 600, "\(rows.count) calls")
    }

    @Test(arguments: ["", "-"])
    func aNumberIsNotReadBeyondItsText(text: String) throws {
        // Digits up to a page that cannot be read.
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard let memory = unsafe mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) else {
            throw NoMemory()
        }
        defer { unsafe munmap(memory, 2 * page) }
        #expect(unsafe mprotect(memory + page, page, PROT_NONE) == 0)
        let bytes = unsafe memory.assumingMemoryBound(to: UInt8.self)
        for place in 0..<page { unsafe bytes[place] = UInt8(ascii: "1") }
        let start = unsafe bytes + page - 64
        unsafe start[0] = UInt8(ascii: "-")
        var double = 0.0
        var integer: Int64 = 0
        #expect(unsafe !cweir_read_double(start, text.utf8.count, &double))
        #expect(unsafe !cweir_read_integer(start, text.utf8.count, &integer))
    }
}
