/* The gate of a channel (cweir_gate.h): publishers that find it closed leave an event in the ring and notify.
 *
 * Each of PRODUCERS publishes EACH events. To prove: one thread at a time is inside, and when all have returned every
 * event was delivered and none is left in the ring.
 *
 * Mutants, each of which must fail:
 *   MUTANT_SILENT       leaves the event behind without notifying
 *   MUTANT_BLIND_LEAVE  opens the gate without looking whether it was notified
 *   MUTANT_NO_DRAIN     takes the notification back and leaves without doing the work
 */
#ifndef PRODUCERS
#define PRODUCERS 3
#endif
#ifndef EACH
#define EACH 2
#endif

#define OPEN 0
#define INSIDE 1
#define NOTIFIED 2

byte state = OPEN;
byte waiting = 0;   /* events in the ring */
byte delivered = 0;
byte inside = 0;    /* threads inside the gate */
byte done = 0;

inline deliver() {
    inside++;
    assert(inside == 1);
    delivered++;
    inside--
}

inline drain() {
    do
    :: atomic { waiting > 0 -> waiting-- }; deliver()
    :: waiting == 0 -> break
    od
}

proctype Producer() {
    byte left = EACH;
    byte old;
    do
    :: left == 0 -> break
    :: left > 0 ->
        left--;
        if
        :: atomic { state == OPEN -> state = INSIDE }; deliver(); goto leave
        :: atomic { state != OPEN -> skip }
        fi;
        waiting++;
#ifndef MUTANT_SILENT
        atomic { old = state; state = NOTIFIED };
        if
        :: old == OPEN -> drain(); goto leave
        :: else -> skip
        fi;
#endif
        goto next;
leave:
#ifdef MUTANT_BLIND_LEAVE
        state = OPEN;
        goto next;
#endif
        if
        :: atomic { state == INSIDE -> state = OPEN }; goto next
        :: atomic { state != INSIDE -> skip }
        fi;
        state = INSIDE;
#ifndef MUTANT_NO_DRAIN
        drain();
#endif
        goto leave;
next:   skip
    od;
    atomic {
        done++;
        if
        :: done == PRODUCERS -> assert(delivered == PRODUCERS * EACH && waiting == 0 && state == OPEN)
        :: else -> skip
        fi
    }
}

init {
    atomic {
        byte count = 0;
        do
        :: count == PRODUCERS -> break
        :: else -> run Producer(); count++
        od
    }
}
