/** The common stream: event i as a function of i. */
public final class CommonStream {
    /** An event; a class with public fields, which Flink passes on by reference. */
    public static final class Event {
        public long time;
        public int key;
        public int type;
        public double value;

        public Event() {}
    }

    private CommonStream() {}

    /** Makes event {@code index}: splitmix64 adds the same number for each draw, so that no state is needed. */
    public static Event event(long index) {
        long r = 42 + 0x9E3779B97F4A7C15L * (index + 1);
        r = (r ^ (r >>> 30)) * 0xBF58476D1CE4E5B9L;
        r = (r ^ (r >>> 27)) * 0x94D049BB133111EBL;
        r ^= r >>> 31;
        Event event = new Event();
        event.time = index;
        event.key = (int) Long.remainderUnsigned(r, 1000);
        event.type = (int) (r >>> 32) & 3;
        event.value = (double) (r >>> 11) * 0x1p-53;
        return event;
    }

    /** Prints the first events, the value as its bits. */
    public static void main(String[] arguments) {
        StringBuilder text = new StringBuilder();
        for (long index = 0; index < Long.parseLong(arguments[0]); index++) {
            Event event = event(index);
            text.append(event.time).append(' ').append(event.key).append(' ').append(event.type).append(' ');
            text.append(Long.toHexString(Double.doubleToRawLongBits(event.value))).append('\n');
        }
        System.out.print(text);
    }
}
