import Testing
import WeirGroups

@Suite struct TimeMarksTests {
    @Test func timeIsTheLeastOfAllPartsThatTheInputHas() {
        var marks = TimeMarks(sourceCount: 2)
        marks.add(TimeMark(time: 5, isIdle: false), of: 0)
        // Parts that it does not have do not stand for one that is missing.
        for source in [-1, 2, Int.max] { marks.add(TimeMark(time: 9, isIdle: false), of: source) }
        marks.settle()
        #expect(marks.time == nil)
        marks.add(TimeMark(time: 3, isIdle: false), of: 1)
        #expect(marks.time == nil)
        marks.settle()
        #expect(marks.time == 3)
    }
}
