internal import CWeir

extension UnsafeRawBufferPointer {
    /// Whether a byte is among these: by the system's `memchr`, which looks at as many at a time as the processor can.
    package func contains(byte: UInt8) -> Bool {
        unsafe cweir_has_byte(baseAddress, byte, count)
    }
}
