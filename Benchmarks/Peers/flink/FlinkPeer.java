import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.PatternSelectFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/**
 * The workloads as Flink jobs of one task: prints the count, the checksum, and from the first event on the seconds and
 * those of the processor, in all threads.
 */
public final class FlinkPeer {
    // The job runs in this process and in one task, so its sink can leave its result here.
    private static long start;
    private static long processorStart;
    private static long count;
    private static double sum;

    private FlinkPeer() {}

    /** Counts the elements, and adds them up or remembers the last. */
    private static final class Tally implements SinkFunction<Double> {
        private final boolean remembersLast;

        Tally(boolean remembersLast) {
            this.remembersLast = remembersLast;
        }

        @Override
        public void invoke(Double value, Context context) {
            count++;
            sum = remembersLast ? value : sum + value;
        }
    }

    /** Makes the events, and takes the time at the first: starting the cluster is not measured. */
    private static CommonStream.Event event(long index) {
        if (index == 0) {
            start = System.nanoTime();
            processorStart = processorTime();
        }
        return CommonStream.event(index);
    }

    private static long processorTime() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static final class RunningSum extends RichMapFunction<Double, Double> {
        private double total;

        @Override
        public Double map(Double value) {
            return total += value;
        }
    }

    private static final class SumByKey extends RichMapFunction<CommonStream.Event, Double> {
        private transient ValueState<Double> total;

        @Override
        public void open(Configuration configuration) {
            total = getRuntimeContext().getState(new ValueStateDescriptor<>("total", Types.DOUBLE));
        }

        @Override
        public Double map(CommonStream.Event event) throws Exception {
            Double before = total.value();
            double after = before == null ? event.value : before + event.value;
            total.update(after);
            return after;
        }
    }

    /** The mean of the values, or the greatest. */
    private static final class Summary
            implements AggregateFunction<CommonStream.Event, double[], Double> {
        private final boolean isMean;

        Summary(boolean isMean) {
            this.isMean = isMean;
        }

        @Override
        public double[] createAccumulator() {
            return new double[2];
        }

        @Override
        public double[] add(CommonStream.Event event, double[] total) {
            total[0] = isMean ? total[0] + event.value : Math.max(total[0], event.value);
            total[1]++;
            return total;
        }

        @Override
        public Double getResult(double[] total) {
            return isMean ? total[0] / total[1] : total[0];
        }

        @Override
        public double[] merge(double[] left, double[] right) {
            left[0] = isMean ? left[0] + right[0] : Math.max(left[0], right[0]);
            left[1] += right[1];
            return left;
        }
    }

    private static DataStream<CommonStream.Event> withWatermarks(DataStream<CommonStream.Event> events) {
        return events.assignTimestampsAndWatermarks(
                WatermarkStrategy.<CommonStream.Event>forMonotonousTimestamps()
                        .withTimestampAssigner((event, time) -> event.time));
    }

    private static SimpleCondition<CommonStream.Event> isType(int type) {
        return SimpleCondition.of(event -> event.type == type);
    }

    private static DataStream<Double> matches(DataStream<CommonStream.Event> events) {
        Pattern<CommonStream.Event, ?> pattern =
                Pattern.<CommonStream.Event>begin("a")
                        .where(isType(0))
                        .followedBy("b")
                        .where(isType(1))
                        .followedBy("c")
                        .where(isType(2))
                        .within(Duration.ofSeconds(10));
        PatternSelectFunction<CommonStream.Event, Double> checksum =
                (Map<String, List<CommonStream.Event>> match) ->
                        (double)
                                (31 * match.get("a").get(0).time
                                        + 17 * match.get("b").get(0).time
                                        + match.get("c").get(0).time);
        return CEP.pattern(events.keyBy(event -> event.key), pattern).select(checksum, Types.DOUBLE);
    }

    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1);
        environment.getConfig().enableObjectReuse();
        DataStream<CommonStream.Event> events =
                environment
                        .fromSequence(0, Long.parseLong(arguments[1]) - 1)
                        .map(FlinkPeer::event)
                        .returns(CommonStream.Event.class);
        DataStream<Double> results;
        switch (arguments[0]) {
            case "filter":
                results = events.filter(event -> event.value > 0.5).map(event -> event.value);
                break;
            case "w1":
                results = events.filter(event -> event.value > 0.5).map(event -> event.value * 2).map(new RunningSum());
                break;
            case "w4":
                results = events.keyBy(event -> event.key).map(new SumByKey());
                break;
            case "w3t":
                results =
                        withWatermarks(events)
                                .windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
                                .aggregate(new Summary(true));
                break;
            case "w5":
                results =
                        withWatermarks(events)
                                .windowAll(SlidingEventTimeWindows.of(Duration.ofSeconds(10), Duration.ofSeconds(1)))
                                .aggregate(new Summary(false));
                break;
            case "w6":
                results = matches(withWatermarks(events));
                break;
            default:
                throw new IllegalArgumentException("unknown workload: " + arguments[0]);
        }
        results.addSink(new Tally(arguments[0].equals("w1")));
        environment.execute();
        double seconds = (System.nanoTime() - start) * 1e-9;
        double processor = (processorTime() - processorStart) * 1e-9;
        System.out.println(count + " " + sum + " " + seconds + " " + processor);
    }
}
