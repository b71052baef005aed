internal import CWeir

extension Mailbox {
    /// How many elements are pending, of all priorities; at one moment, and without allocating.
    public var pendingCount: Int {
        var pending: UInt64 = 0
        for lane in 0..<UInt32(MailboxLane.count) {
            pending &+= unsafe cweir_mailbox_read(mailbox, lane).pending
        }
        return Int(pending)
    }
}
