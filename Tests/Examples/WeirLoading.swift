import CWeirPlugin
import WeirCore
import WeirRecords
import WeirShake
