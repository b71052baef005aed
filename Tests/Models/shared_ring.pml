/*
 * The shared ring (Core/CWeir/include/cweir_shared_ring.h): several producers claim, fill and publish slots, several
 * consumers take, empty and give them back. One statement is one access to shared memory; the sequences are acquire and
 * release in C, so interleaving the statements in program order is the whole behaviour of one slot.
 *
 * Checked in every interleaving: no slot is written while another thread has it, every element comes out exactly once,
 * in the order of its position, per producer in the order of its puts, and nobody gets stuck.
 *
 * Mutants, each of which has to fail:
 *   MUTANT_PUBLISH_FIRST   publishes before the slot is filled
 *   MUTANT_GIVE_BACK_FIRST gives back before the slot is emptied
 *   MUTANT_NO_LAP          a producer does not look whether the slot is free
 *   MUTANT_BLIND_STORE     moves the tail with a store instead of an exchange
 *   MUTANT_VYUKOV          counts position and position + 1, which cannot tell full from empty with one slot
 */
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#define EACH 2
#define TOTAL (PRODUCERS * EACH)
#define NOBODY 255

#ifdef MUTANT_VYUKOV
#define FREE(position) (position)
#define FILLED(position) ((position) + 1)
#define NEXT(position) ((position) + CAPACITY)
#else
#define FREE(position) (((position) / CAPACITY) * 2)
#define FILLED(position) (((position) / CAPACITY) * 2 + 1)
#define NEXT(position) (((position) / CAPACITY) * 2 + 2)
#endif

byte tail = 0;
byte head = 0;
byte sequence[CAPACITY];
byte slot[CAPACITY];  /* what it holds: one more than the element, or 0 */
byte owner[CAPACITY]; /* ghost: who writes or reads the slot */
byte taken = 0;       /* ghost: how many elements came out */
bool seen[TOTAL];     /* ghost: which */
byte newest[PRODUCERS];

inline own(index) {
    assert(owner[index] == NOBODY);
    owner[index] = _pid;
}

proctype producer(byte number) {
    byte made = 0;
    byte position, found;
    do
    :: made < EACH ->
        position = tail;
again:
        found = sequence[position % CAPACITY];
        if
#ifdef MUTANT_NO_LAP
        :: true ->
#else
        :: found == FREE(position) ->
#endif
#ifdef MUTANT_BLIND_STORE
            tail = position + 1;
#else
            atomic {
                if
                :: tail == position -> tail = position + 1;
                :: else -> position = tail; goto again;
                fi
            }
#endif
#ifdef MUTANT_PUBLISH_FIRST
            sequence[position % CAPACITY] = FILLED(position);
#endif
            /* Two steps, so that another thread's step may come in between. */
            own(position % CAPACITY);
            atomic {
                assert(slot[position % CAPACITY] == 0);
                slot[position % CAPACITY] = number * EACH + made + 1;
                owner[position % CAPACITY] = NOBODY;
            }
#ifndef MUTANT_PUBLISH_FIRST
            sequence[position % CAPACITY] = FILLED(position);
#endif
            made++;
        :: else ->
            /* Full, unless the tail has moved; waits for a change, which is as good as trying for ever. */
            (tail != position || sequence[position % CAPACITY] != found);
        fi
    :: else -> break;
    od
}

proctype consumer() {
    byte position, found, element;
    do
    :: taken < TOTAL ->
        position = head;
again:
        found = sequence[position % CAPACITY];
        if
        :: found == FILLED(position) ->
            atomic {
                if
                :: head == position -> head = position + 1;
                :: else -> position = head; goto again;
                fi
            }
#ifdef MUTANT_GIVE_BACK_FIRST
            sequence[position % CAPACITY] = NEXT(position);
#endif
            own(position % CAPACITY);
            atomic {
                element = slot[position % CAPACITY];
                assert(element > 0);
                element--;
                slot[position % CAPACITY] = 0;
                owner[position % CAPACITY] = NOBODY;
                assert(!seen[element]);
                seen[element] = true;
#if CONSUMERS == 1
                /* With one consumer the order is visible: that of each producer. */
                assert(newest[element / EACH] <= element % EACH);
                newest[element / EACH] = element % EACH + 1;
#endif
                taken++;
            }
#ifndef MUTANT_GIVE_BACK_FIRST
            sequence[position % CAPACITY] = NEXT(position);
#endif
        :: else ->
            (taken == TOTAL || head != position || sequence[position % CAPACITY] != found);
        fi
    :: else -> break;
    od
}

init {
    byte n;
    atomic {
        for (n : 0 .. CAPACITY - 1) {
            sequence[n] = FREE(n);
            owner[n] = NOBODY;
        }
        for (n : 0 .. PRODUCERS - 1) { run producer(n); }
        for (n : 1 .. CONSUMERS) { run consumer(); }
    }
}
