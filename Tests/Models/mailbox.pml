/*
 * Signals and parking of the mailbox (Core/CWeir/include/cweir_mailbox.h): producers claim a slot in one of two queues,
 * publish it, and set the queue's bit if they find it missing; the consumer takes what the bits show, clears the bits of
 * empty queues, looks again, and parks on the word.
 *
 * Weak memory: a publication is a release store, so it may reach the other threads after the producer's later load of
 * the word. It is modelled as a one-place store buffer, emptied at any time later. What is sequentially consistent in C
 * (claim, word, the look at the tail) is one atomic step in program order.
 *
 * Checked in every interleaving: no wake-up is lost (nobody is left asleep or waiting), nothing is lost or doubled, each
 * queue keeps its order, a queue's event is never taken before one that was there all along in a higher queue, at most
 * one call into the kernel wakes each park, and closing, at any moment, wakes the consumer, who ends; what is put at that
 * very time is taken by the consumer before its end, or by producers after it, one at a time.
 *
 * SCRIPTED fixes which producer uses which queue when, and CLOSED_LAST closes when all is put, so that larger cases can be
 * checked as well.
 *
 * Mutants, each of which has to fail:
 *   MUTANT_NO_RECHECK      clears a bit without looking at the queue again
 *   MUTANT_PUBLISHED       looks at what is published instead of what is claimed
 *   MUTANT_EARLY_LOAD      the producer reads the word before it claims (what relaxed orders would allow)
 *   MUTANT_BLIND_PARK      parks with a plain or, instead of only when the word is empty
 *   MUTANT_NO_COMPARE      the kernel does not compare the word before it puts the thread to sleep
 *   MUTANT_NO_WAKE         who sets the first bit does not wake
 *   MUTANT_CLOSE_SILENTLY  closing sets its bit without waking
 *   MUTANT_WAKE_ALL_SEE    every thread that sees PARKED wakes, instead of the one that clears it
 *   MUTANT_BLIND_END       the consumer ends with a plain or, instead of only when nothing but CLOSED is set
 *   MUTANT_LATE_UNSEEN     a producer that finds that the consumer has ended leaves its event there
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef EACH
#define EACH 2
#endif
#define LANES 2
#define TOTAL (PRODUCERS * EACH)
#define SLOTS 5 /* per lane, never used twice: one more than any lane gets, so that the head stays inside */
#define PARKED 4
#define CLOSED 8
#define ENDED 16
#define LANE_BITS 3

byte word = 0;
byte tail[LANES];
byte head[LANES];
bool published[LANES * SLOTS];
bool buffered[LANES * SLOTS]; /* published by the producer, not yet visible to others */
byte done = 0;                /* ghost: producers that have ended */
byte taken = 0;               /* ghost */
bool locked = false;          /* a producer takes out what was put after the consumer's end */
bool over = false;            /* ghost: the consumer has ended */
bool sleeping = false;        /* the consumer is in the kernel */
byte owed = 0;                /* ghost: parks that nobody has woken and that the consumer has not ended itself */

/* The store buffers: each publication becomes visible at some moment. */
active proctype memory() {
    byte n;
end:
    do
    :: atomic {
        if
        :: buffered[0] -> n = 0;
        :: buffered[1] -> n = 1;
        :: buffered[2] -> n = 2;
        :: buffered[3] -> n = 3;
        :: buffered[4] -> n = 4;
        :: buffered[5] -> n = 5;
        :: buffered[6] -> n = 6;
        :: buffered[7] -> n = 7;
        :: buffered[8] -> n = 8;
        :: buffered[9] -> n = 9;
        fi;
        buffered[n] = false;
        published[n] = true;
        n = 0;
    }
    od
}

inline kernel_wake() {
    atomic {
        assert(owed > 0);
        owed--;
        sleeping = false;
    }
}

/* cweir_mailbox_signal. */
inline signal(bits, before) {
    atomic { before = word; word = word | (bits); }
    if
#ifdef MUTANT_NO_WAKE
    :: false -> skip;
#else
    :: before & PARKED ->
#ifdef MUTANT_WAKE_ALL_SEE
        atomic { word = word & (255 - PARKED); }
        kernel_wake();
#else
        atomic { before = word; word = word & (255 - PARKED); }
        if
        :: before & PARKED -> kernel_wake();
        :: else -> skip;
        fi
#endif
#endif
    :: else -> skip;
    fi
}

/* cweir_mailbox_settle: `settled` tells whether the bit stays clear. */
inline settle(lane, settled) {
    atomic { word = word & (255 - (1 << lane)); }
#ifdef MUTANT_NO_RECHECK
    settled = true;
#else
#ifdef MUTANT_PUBLISHED
    settled = !published[lane * SLOTS + head[lane]];
#else
    settled = (tail[lane] == head[lane]);
#endif
    if
    :: !settled -> atomic { word = word | (1 << lane); }
    :: else -> skip;
    fi
#endif
}

inline give(lane) {
    assert(published[lane * SLOTS + head[lane]]);
    published[lane * SLOTS + head[lane]] = false;
    head[lane]++;
    taken++;
}

/* Mailbox.dropLate. */
inline drop_late(settled) {
    atomic { !locked; locked = true; }
    do
    :: true ->
        do
        :: atomic { (word & 1) && published[head[0]] -> give(0); }
        :: atomic { (word & 2) && published[SLOTS + head[1]] -> give(1); }
        :: else -> break;
        od;
        /* cweir_mailbox_is_left_empty. */
        if
        :: word & 1 -> settle(0, settled);
        :: else -> settled = true;
        fi;
        if
        :: settled ->
            if
            :: word & 2 -> settle(1, settled);
            :: else -> skip;
            fi
        :: else -> skip;
        fi;
        if
        :: settled -> break;
        /* Claimed and not yet published, or ready by now. */
        :: else -> (published[head[0]] || published[SLOTS + head[1]]);
        fi
    od;
    atomic { locked = false; settled = false; }
}

proctype producer(byte number) {
    byte made = 0;
    byte lane, position, seen, before;
    bool settled;
    do
    :: made < EACH ->
#ifdef SCRIPTED
        lane = (number + made) % LANES;
#else
        if
        :: lane = 0;
        :: lane = 1;
        fi;
#endif
#ifdef MUTANT_EARLY_LOAD
        seen = word;
#endif
        atomic { position = tail[lane]; tail[lane]++; }
        /* The release store: visible from now on, or later. */
        buffered[lane * SLOTS + position] = true;
#ifndef MUTANT_EARLY_LOAD
        seen = word;
#endif
        if
        :: seen & (1 << lane) -> skip;
        :: else ->
            signal(1 << lane, before);
#ifndef MUTANT_LATE_UNSEEN
            if
            :: before & ENDED -> drop_late(settled);
            :: else -> skip;
            fi
#endif
        fi;
        made++;
        atomic { lane = 0; position = 0; seen = 0; before = 0; }
    :: else -> break;
    od;
    done++;
}

/* cweir_mailbox_close, at any moment: producers may claim afterwards, as what they read of CLOSED may be old. */
active proctype closer() {
    byte before;
#ifdef CLOSED_LAST
    done == PRODUCERS;
#endif
#ifdef MUTANT_CLOSE_SILENTLY
    atomic { word = word | CLOSED; }
#else
    signal(CLOSED, before);
#endif
}

/* When all have ended, everything has been taken. */
active proctype auditor() {
    over && done == PRODUCERS;
    assert(taken == TOTAL && tail[0] == head[0] && tail[1] == head[1]);
}

active proctype consumer() {
    byte seen;
    bool settled, is_empty, was_there;
    do
    :: true ->
take:
        /* cweir_mailbox_take: the word once, then the lanes that it shows; some settle when found empty. */
        atomic { seen = word & LANE_BITS; was_there = published[0 * SLOTS + head[0]]; }
        if
        :: seen & 1 ->
            atomic {
                if
                :: published[head[0]] -> give(0); was_there = false; goto take;
                :: else -> skip;
                fi
            }
            if
            :: settle(0, settled); settled = false; /* patience is over */
            :: skip;
            fi
        :: else -> skip;
        fi;
        if
        :: seen & 2 ->
            atomic {
                if
                :: published[SLOTS + head[1]] ->
                    /* What was there, bit and all, when the word was read goes first. */
                    assert(!(was_there && (seen & 1)));
                    give(1); was_there = false; goto take;
                :: else -> skip;
                fi
            }
            if
            :: settle(1, settled); settled = false;
            :: skip;
            fi
        :: else -> skip;
        fi;
        /* cweir_mailbox_park. */
        atomic { was_there = false; seen = 0; is_empty = true; }
        if
        :: word & 1 -> settle(0, settled); atomic { is_empty = is_empty && settled; settled = false; }
        :: else -> skip;
        fi;
        if
        :: word & 2 -> settle(1, settled); atomic { is_empty = is_empty && settled; settled = false; }
        :: else -> skip;
        fi;
        if
        :: !is_empty ->
            /* Claimed and not yet published, or ready by now: looks again, which is waiting for the publication. */
            (published[head[0]] || published[SLOTS + head[1]]);
        :: else ->
            if
#ifdef MUTANT_BLIND_END
            :: atomic { word & CLOSED -> word = word | ENDED; } break;
#else
            :: atomic { word == CLOSED -> word = CLOSED + ENDED; } break;
#endif
#ifdef MUTANT_BLIND_PARK
            :: atomic { word != CLOSED -> word = word | PARKED; owed++; }
#else
            :: atomic { word == 0 -> word = PARKED; owed++; }
#endif
                do
#ifdef MUTANT_BLIND_PARK
                :: word & PARKED ->
#else
                :: word == PARKED ->
#endif
                    /* The kernel compares and sleeps in one step. */
                    atomic {
                        if
#ifdef MUTANT_NO_COMPARE
                        :: true -> sleeping = true;
#else
#ifdef MUTANT_BLIND_PARK
                        :: word & PARKED -> sleeping = true;
#else
                        :: word == PARKED -> sleeping = true;
#endif
#endif
                        :: else -> skip;
                        fi
                    }
                    !sleeping;
                :: else -> break;
                od;
                atomic {
                    if
                    :: word & PARKED -> owed--;
                    :: else -> skip;
                    fi;
                    word = word & (255 - PARKED);
                }
            :: atomic { word != 0 && word != CLOSED -> skip; }
            fi
        fi;
        atomic { seen = 0; settled = false; is_empty = false; }
    od;
    over = true;
}

init {
    byte n;
    atomic {
        for (n : 1 .. PRODUCERS) { run producer(n); }
    }
}
