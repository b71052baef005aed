import Testing
import Weir

/// The model of a list of words: what a view shows, and what it may ask for.
@MainActor
final class WordListModel {
    let search = MutableSignal("")
    let shown: Signal<[String]>
    let title: Signal<String>
    private let words = MutableSignal<[String]>([])

    init() {
        let (words, search) = (words, search)
        shown = Signal {
            let text = search()
            return words().filter { text.isEmpty || $0.contains(text) }.sorted()
        }
        let shown = shown
        title = Signal { search().isEmpty ? "\(shown().count) words" : "\(shown().count) of \(words().count) words" }
    }

    func add(_ word: String) {
        let word = word.lowercased()
        guard !word.isEmpty, !words.value.contains(word) else { return }
        words.update { $0.append(word) }
    }

    func remove(_ word: String) {
        words.update { $0.removeAll { $0 == word } }
    }
}

@Suite struct WordListTests {
    @Test @MainActor func theListShowsWhatIsSearchedFor() {
        let model = WordListModel()
        var titles: [String] = []
        let observation = model.title.observe { titles.append($0) }
        for word in ["weir", "River", "stream", "river", ""] { model.add(word) }
        #expect(model.shown() == ["river", "stream", "weir"])
        model.search.value = "ei"
        #expect(model.shown() == ["weir"])
        model.remove("weir")
        #expect(model.shown() == [])
        model.search.value = ""
        #expect(titles == ["1 words", "2 words", "3 words", "1 of 3 words", "0 of 2 words", "2 words"])
        observation.cancel()
    }

    /// A view observes the values by name.
    @Test @MainActor func aViewIsToldOfChanges() {
        let model = WordListModel()
        let title = ObservableSignal(model.title)
        model.add("weir")
        #expect(title.value == "1 words")
    }
}
