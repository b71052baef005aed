// The errors of recordings and the speeds of replays are those of the format.
@_exported public import WeirRecordingFormat
