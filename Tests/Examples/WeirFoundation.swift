import WeirCore

// What is to be read.
let bytes: [UInt8] = []

func show(_ reading: Reading) {}
