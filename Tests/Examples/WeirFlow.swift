import WeirCore

let recorded = EventChannel<Reading>()
