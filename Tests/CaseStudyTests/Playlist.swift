import Testing
import Weir

struct TrackAdded: Sendable { let title: String }
struct TrackRemoved: Sendable { let title: String }
/// An event without a message.
struct PlaylistCleared: Sendable {}
struct Playlist: Sendable, Equatable { var titles: [String] = [] }

/// Keeps the tracks, and publishes the playlist whenever it has changed.
final class PlaylistStore: Sendable {
    private let playlist = Locked(Playlist())
    private let subscriptions = SubscriptionBag()

    init(bus: EventBus) {
        bus.listen(to: TrackAdded.self) { [weak self, weak bus] added, _ in
            self?.change(for: bus) { if !$0.contains(added.title) { $0.append(added.title) } }
        }.store(in: subscriptions)
        bus.listen(to: TrackRemoved.self) { [weak self, weak bus] removed, _ in
            self?.change(for: bus) { $0.removeAll { $0 == removed.title } }
        }.store(in: subscriptions)
        bus.listen(to: PlaylistCleared.self) { [weak self, weak bus] _, _ in
            self?.change(for: bus) { $0 = [] }
        }.store(in: subscriptions)
    }

    private func change(for bus: EventBus?, _ body: (inout [String]) -> Void) {
        let changed: Playlist? = playlist.withLock { playlist in
            let before = playlist
            body(&playlist.titles)
            return playlist == before ? nil : playlist
        }
        if let changed { bus?.publish(changed) }
    }
}

@Suite struct PlaylistTests {
    @Test func eachChangeIsPublished() {
        let bus = EventBus()
        let store = PlaylistStore(bus: bus)
        let seen = Locked<[[String]]>([])
        bus.listen(to: Playlist.self) { playlist, _ in seen.withLock { $0.append(playlist.titles) } }
        bus.publish(TrackAdded(title: "Gymnopédie"))
        bus.publish(TrackAdded(title: "Gymnopédie"))
        bus.publish(TrackAdded(title: "Boléro"))
        bus.publish(TrackRemoved(title: "Gymnopédie"))
        bus.publish(PlaylistCleared())
        bus.publish(PlaylistCleared())
        #expect(seen.withLock { $0 } == [["Gymnopédie"], ["Gymnopédie", "Boléro"], ["Boléro"], []])
        withExtendedLifetime(store) {}
    }

    @Test func aStoreThatHasGoneKeepsNothing() {
        let bus = EventBus()
        weak var weakStore: PlaylistStore?
        do {
            let store = PlaylistStore(bus: bus)
            weakStore = store
        }
        #expect(weakStore == nil)
    }
}
