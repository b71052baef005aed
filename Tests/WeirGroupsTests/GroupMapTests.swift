import Testing
import WeirGroups

struct GroupMapTests {
    /// Lets all members hand over what they are to.
    private func settled(_ map: GroupMap, _ members: Set<String>) -> GroupMap {
        var map = map
        while true {
            let before = map
            for member in members { map.prepare(map.share(of: member).coming, by: member) }
            for member in members { map.release(map.share(of: member).leaving, by: member) }
            if map == before { return map }
        }
    }

    private func counts(_ map: GroupMap, _ members: Set<String>) -> [Int] {
        members.map { map.share(of: $0).kept.count }.sorted()
    }

    @Test
    func partitionsAreSpreadEvenlyAndFewChangeHands() {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: .min ... .max, using: &random)
        var numbers = seed
        func next(_ limit: Int) -> Int {
            numbers = numbers &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(numbers >> 33) % limit
        }
        let partitionCount = 1 + next(64)
        var map = GroupMap(partitionCount: partitionCount)
        var members: Set<String> = ["m0"]
        for _ in 0..<50 {
            var before = members
            if next(2) == 0 { members.insert("m\(next(10))") } else { members.remove("m\(next(10))") }
            if members.isEmpty { members = ["m1"] }
            let old = map
            map.balance(among: members)
            let kept = (0..<partitionCount).filter { partition in
                let owner = old.assignments[partition].owner
                return owner != nil && map.assignments[partition] == GroupMap.Assignment(owner: owner)
            }
            // Each keeps what it has, up to its share.
            before.formIntersection(members)
            let least = before.reduce(0) { $0 + min(old.share(of: $1).kept.count, partitionCount / members.count) }
            #expect(kept.count >= least, "seed \(seed)")
            for (partition, assignment) in map.assignments.enumerated() where assignment.next != nil {
                // Only an owner that is there hands over.
                #expect(members.contains(assignment.owner ?? ""), "seed \(seed), partition \(partition)")
            }
            map = settled(map, members)
            let counts = counts(map, members)
            #expect(counts.reduce(0, +) == partitionCount, "seed \(seed)")
            #expect((counts.last ?? 0) - (counts.first ?? 0) <= 1, "seed \(seed): \(counts)")
        }
    }

    @Test
    func whatIsBalancedStaysAsItIs() {
        var map = GroupMap(partitionCount: 7)
        map.balance(among: ["a", "b", "c"])
        let before = map
        map.balance(among: ["a", "b", "c"])
        #expect(map == before)
    }

    @Test
    func aMapSurvivesItsBytes() {
        var map = GroupMap(partitionCount: 5)
        map.balance(among: ["a", "b"])
        map.balance(among: ["a", "b", "c"])
        map.prepare(map.share(of: "c").coming, by: "c")
        #expect(map.assignments.map(\.isPrepared).contains(true))
        #expect(GroupMap(map.encoded, partitionCount: 5) == map)
        #expect(GroupMap(map.encoded, partitionCount: 6) == nil)
        #expect(GroupMap(Array("{}".utf8), partitionCount: 5) == nil)
        #expect(GroupMap(Array("what".utf8), partitionCount: 5) == nil)
    }

    /// What was made ready for them together is used together.
    @Test
    func partitionsOfOneOwnerComeAtATime() {
        var map = GroupMap(partitionCount: 12)
        map.balance(among: ["b", "c"])
        map.balance(among: ["a", "b", "c"])
        let first = map.share(of: "a").coming
        #expect(first.count == 2 && first.allSatisfy { map.assignments[$0].owner == "b" })
        map.prepare(first, by: "a")
        map.release(first, by: "b")
        let second = map.share(of: "a")
        #expect(second.kept == first)
        #expect(second.coming.count == 2 && second.coming.allSatisfy { map.assignments[$0].owner == "c" })
    }

    /// Its owner may just let go, and then another one would not be ready.
    @Test
    func whatWasMadeReadyForStaysDecided() {
        var map = GroupMap(partitionCount: 6)
        map.balance(among: ["c"])
        map.balance(among: ["b", "c"])
        let coming = map.share(of: "b").coming
        map.prepare(coming, by: "b")
        map.balance(among: ["a", "b", "c"])
        #expect(map.share(of: "c").leaving == coming)
        #expect(coming.allSatisfy { map.assignments[$0].next == "b" })
        map.release(coming, by: "c")
        #expect(map.share(of: "b").kept == coming)
        // Then it is spread evenly.
        map.balance(among: ["a", "b", "c"])
        #expect(counts(settled(map, ["a", "b", "c"]), ["a", "b", "c"]) == [2, 2, 2])
    }

    /// A member that leaves keeps its partitions until others are ready for them, and gets no more.
    @Test
    func leaversHandOverAll() {
        var map = GroupMap(partitionCount: 6)
        map.balance(among: ["a", "b", "c"])
        map.balance(among: ["b", "c"], leavers: ["a"])
        #expect(map.share(of: "a").kept.count == 2 && map.share(of: "a").hasAnnounced)
        let before = map
        map.balance(among: ["b", "c"], leavers: ["a"])
        #expect(map == before)
        #expect(counts(settled(map, ["a", "b", "c"]), ["b", "c"]) == [3, 3])
        // Where it is gone before that, others have it at once.
        map.balance(among: ["b", "c"])
        #expect(counts(map, ["b", "c"]) == [3, 3])
    }

    @Test
    func onlyTheOwnerLetsGo() {
        var map = GroupMap(partitionCount: 2)
        map.balance(among: ["b"])
        map.balance(among: ["a", "b"])
        #expect(map.share(of: "b").kept.count == 2)
        map.prepare([0, 1], by: "b")
        #expect(map.share(of: "b").leaving.isEmpty)
        // Nor to one that is not ready.
        map.release([0, 1], by: "b")
        #expect(map.share(of: "b").kept.count == 2)
        map.prepare(map.share(of: "a").coming, by: "a")
        let leaving = map.share(of: "b").leaving
        #expect(leaving.count == 1)
        map.release(leaving, by: "a")
        #expect(map.share(of: "b").leaving == leaving)
        map.release([0, 1, 2], by: "b")
        #expect(map.share(of: "a").kept == leaving)
        #expect(map.share(of: "b").leaving.isEmpty)
    }
}
