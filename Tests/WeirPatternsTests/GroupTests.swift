import Testing
import WeirCore
import WeirPatterns
import WeirTesting

/// Groups whose first stage can be left out, and alternatives with loops, by hand.
@Suite struct GroupTests {
    private static func run<Captured: Sendable>(
        _ pattern: some EventPattern<Character, Captured>,
        _ letters: String,
        _ strategy: StrategyChoice
    ) throws -> Int {
        let feed = Feed<Character>()
        let recorder = Recorder(feed.matches(of: pattern, PatternSettings(strategy: strategy)))
        for (second, letter) in letters.enumerated() {
            feed.send(letter, at: Timestamp(secondsSinceEpoch: Int64(second)))
        }
        feed.finish()
        return recorder.elements.count
    }

    typealias Loop = StagedPattern<Captures1<ManyEvents<Character>>>

    private static let z = Pattern<Character>.first { $0 == "z" }

    private static let optionalHead = Pattern<Character>.first { $0 == "b" }.optional().next { $0 == "c" }

    @Test func theFirstStageOfAGroupCanBeLeftOut() throws {
        let a = Pattern<Character>.first { $0 == "a" }
        let ranged = Pattern<Character>.first { $0 == "b" }.times(0...2).next { $0 == "c" }
        let open = Pattern<Character>.first { $0 == "b" }.times(0...).next { $0 == "c" }
        let begin = Pattern<Character>.first.group(Self.optionalHead).next { $0 == "d" }
        let twice = a.next.group(Self.optionalHead).times(2).next { $0 == "d" }
        for letters in ["acd", "abcd"] {
            for strategy in [StrategyChoice.runs, .compact] {
                #expect(try Self.run(a.next.group(Self.optionalHead).next { $0 == "d" }, letters, strategy) == 1)
                #expect(try Self.run(a.followedBy.group(Self.optionalHead).next { $0 == "d" }, letters, strategy) == 1)
                #expect(try Self.run(begin, letters, strategy) == (letters == "acd" ? 1 : 2))
                #expect(try Self.run(twice, "acbcd", strategy) == 1)
            }
            #expect(try Self.run(a.next.group(ranged).next { $0 == "d" }, letters, .runs) == 1)
            #expect(try Self.run(a.next.group(open).next { $0 == "d" }, letters, .runs) == 1)
        }
    }

    @Test(arguments: [StrategyChoice.runs, .compact])
    func anAlternativeCanBeginWithAStageToLeaveOut(strategy: StrategyChoice) throws {
        let a = Pattern<Character>.first { $0 == "a" }
        let nested = Pattern<Character>.first.group(Self.optionalHead).next { $0 == "d" }
        let direct = a.followedBy.either(Self.optionalHead, Self.z)
        for letters in ["ac", "axc", "abc", "axbc", "az", "axz"] {
            #expect(try Self.run(direct, letters, strategy) == 1)
        }
        #expect(try Self.run(direct, "axx", strategy) == 0)
        let deeper = a.followedBy.either(nested, Self.z)
        for letters in ["acd", "axcd", "axbcd", "axz"] { #expect(try Self.run(deeper, letters, strategy) == 1) }
        // All of an alternative may be left out: at once, and not after something was passed over.
        let all = Pattern<Character>.first { $0 == "b" }.optional()
        let through = a.followedBy.either(all, Self.z).next { $0 == "c" }
        for letters in ["ac", "abc", "azc", "axbc"] { #expect(try Self.run(through, letters, strategy) == 1) }
        #expect(try Self.run(through, "axc", strategy) == 0)
    }

    @Test(arguments: [StrategyChoice.runs, .compact])
    func theLoopThatAnAlternativeBeginsWithFollowsItsOwnContiguity(strategy: StrategyChoice) throws {
        func pattern(_ loop: Loop) -> some EventPattern<Character, GroupCapture<Character>> {
            Pattern<Character>.first.either(loop.next { $0 == "b" }, Self.z)
        }
        let a = Pattern<Character>.first { $0 == "a" }
        #expect(try Self.run(pattern(a.times(1...).consecutive()), "axab", strategy) == 1)
        #expect(try Self.run(pattern(a.times(1...)), "axab", strategy) == 2)
        #expect(try Self.run(pattern(a.times(2).consecutive()), "axaab", strategy) == 1)
        #expect(try Self.run(pattern(a.times(2).allowCombinations()), "aaab", strategy) == 2)
    }

    @Test(arguments: [StrategyChoice.runs, .compact])
    func aGreedyLoopOfAnAlternativeLeavesTheOthersAlone(strategy: StrategyChoice) throws {
        let greedy = Pattern<Character>.first { $0 == "b" }.times(1...).greedy()
        let pattern = Pattern<Character>.first.either(greedy, Self.z).next {
            $0 == "b" || $0 == "c"
        }
        #expect(try Self.run(pattern, "zb", strategy) == 1)
        #expect(try Self.run(pattern, "bbc", strategy) == 2)
    }

    @Test func theRoundsOfAGroupHaveABound() throws {
        let pair = Pattern<Character>.first { $0 == "a" }.next { $0 == "b" }
        let pattern = Pattern<Character>.first(within: .seconds(3)).group(pair).times(2)
        #expect(try Self.run(pattern, "abxxab", .runs) == 0)
        #expect(try Self.run(pattern, "abxab", .runs) == 1)
    }

    @Test func aNegationBeforeAGroupHoldsUntilTheGroupBegins() throws {
        let pattern = Pattern<Character>.first { $0 == "a" }
            .notFollowedBy { $0 == "n" }
            .followedBy.group(Pattern<Character>.first { $0 == "b" }.optional().followedBy { $0 == "c" })
        for (letters, count) in [("ac", 1), ("axbc", 2), ("axnbc", 0), ("axbnc", 1), ("anc", 0)] {
            #expect(try Self.run(pattern, letters, .runs) == count, "\(letters)")
        }
    }

    @Test(arguments: [StrategyChoice.runs, .compact])
    func aNegationBeforeAlternativesHoldsUntilTheirFirstEvent(strategy: StrategyChoice) throws {
        let a = Pattern<Character>.first { $0 == "a" }.notFollowedBy { $0 == "n" }
        let b = Pattern<Character>.first { $0 == "b" }.optional()
        let c = Pattern<Character>.first { $0 == "c" }
        let twice = a.followedBy(named: "b or c").either(b, c).times(2).followedBy { $0 == "d" }
        // The one b can be that of either round; where both are left out, d comes next.
        for (letters, count) in [("axbd", 3), ("axnbd", 0), ("abxnd", 2), ("abxcd", 4), ("abncd", 3)] {
            #expect(try Self.run(twice, letters, strategy) == count, "\(letters)")
        }
        let once = a.followedBy.either(b, c).followedBy { $0 == "d" }
        for (letters, count) in [("and", 0), ("abnd", 1), ("acnd", 1), ("abxnd", 1), ("axbnd", 1)] {
            #expect(try Self.run(once, letters, strategy) == count, "\(letters)")
        }
    }

    @Test(arguments: [StrategyChoice.runs, .compact])
    func aNegationBehindALoopOfAlternativesHoldsWithinIt(strategy: StrategyChoice) throws {
        let pattern = Pattern<Character>.first { $0 == "s" }
            .followedBy(named: "loop").either(
                Pattern<Character>.first { $0 == "a" },
                Pattern<Character>.first { $0 == "b" }
            ).times(1...)
            .notFollowedBy { $0 == "n" }
            .followedBy { $0 == "c" }
        for (letters, count) in [("sac", 1), ("saxbc", 2), ("sanc", 0), ("sanbc", 0), ("saxnbc", 0), ("saxxnbc", 0)] {
            #expect(try Self.run(pattern, letters, strategy) == count, "\(letters)")
        }
    }

    @Test(arguments: [StrategyChoice.runs, .compact])
    func aNegationBehindWhatCanBeLeftOutLooksAtTheNextEvent(strategy: StrategyChoice) throws {
        let end = Pattern<Character>.first { $0 == "a" }.followedBy { $0 == "b" || $0 == "m" }.optional()
        let pattern = Pattern<Character>.first.group(end)
            .notFollowedBy { $0 == "n" || $0 == "m" }
            .followedBy { $0 == "c" }
        for (letters, count) in [("ac", 1), ("abc", 2), ("anc", 0), ("amc", 0), ("axmc", 1), ("axnbc", 1)] {
            #expect(try Self.run(pattern, letters, strategy) == count, "\(letters)")
        }
    }
}
