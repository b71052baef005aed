// What is to be read.
let bytes: [UInt8] = []
