package org.allocsim.analysis.idle.activity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.allocsim.analysis.idle.Gaps;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.timeline.Cause;
import org.allocsim.analysis.idle.timeline.HostStates;
import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.jspecify.annotations.Nullable;

/**
 * What the host, the streams of the GPU, its copies and its memory do in a stretch of time, on one
 * axis. Its size depends on the columns, not on the profile.
 *
 * @param span the stretch
 * @param lanes the host, the streams that run kernels, copies, and why the GPU is idle
 * @param memory null where the profile has no memory events
 * @param hostStepNanos where steps begin on the host, within the stretch
 * @param gpuStepNanos where they begin on the GPU
 */
public record Activity(
    Span span,
    List<Lane> lanes,
    @Nullable MemoryLine memory,
    List<Long> hostStepNanos,
    List<Long> gpuStepNanos) {
  /** What parts of the host's lane are called in files, if they are not causes. */
  public static final String HOST_BUSY = "host-busy";

  /** The host waits for the GPU. */
  public static final String HOST_WAITS = "host-waits";

  /** Name of the lane that says why the GPU is idle. */
  public static final String IDLE = "GPU idle";

  /** Streams with a lane of their own; the others share one. */
  private static final int MAX_STREAMS = 5;

  /** Keeps its own copies. */
  public Activity {
    lanes = List.copyOf(lanes);
    hostStepNanos = List.copyOf(hostStepNanos);
    gpuStepNanos = List.copyOf(gpuStepNanos);
  }

  /** The step whose length is the median: of an even number the shorter one in the middle. */
  public static int typicalStep(IdleAnalysis analysis) {
    Steps steps = analysis.steps();
    Integer[] order = new Integer[steps.count()];
    Arrays.setAll(order, step -> step);
    Arrays.sort(
        order, Comparator.comparingLong(step -> steps.gpuNanos(step + 1) - steps.gpuNanos(step)));
    return order[(order.length - 1) / 2];
  }

  /** What happens in one step, on the clock of the GPU. */
  public static Activity ofStep(IdleAnalysis analysis, int step, int columns) {
    Steps steps = analysis.steps();
    return of(
        analysis,
        new Span(steps.name(step), steps.gpuNanos(step), steps.gpuNanos(step + 1), columns));
  }

  /** What happens in all steps. */
  public static Activity ofAll(IdleAnalysis analysis, int columns) {
    Steps steps = analysis.steps();
    return of(analysis, new Span("all steps", steps.beginNanos(), steps.endNanos(), columns));
  }

  private static Activity of(IdleAnalysis analysis, Span span) {
    Timeline timeline = analysis.timeline();
    List<Lane> lanes = new ArrayList<>();
    lanes.add(host(analysis, span));
    lanes.addAll(streams(timeline, span));
    lanes.add(copies(timeline, span));
    lanes.add(idle(analysis.gaps(), span));
    lanes.removeIf(lane -> lane.parts().isEmpty() && !lane.name().equals(IDLE));
    List<Long> host = new ArrayList<>();
    List<Long> gpu = new ArrayList<>();
    for (int step = 0; step <= analysis.steps().count(); step++) {
      addWithin(span, analysis.steps().hostNanos(step), host);
      addWithin(span, analysis.steps().gpuNanos(step), gpu);
    }
    return new Activity(
        span,
        lanes,
        MemoryLine.of(timeline.profile().memory(), timeline.device(), span),
        host,
        gpu);
  }

  private static void addWithin(Span span, long moment, List<Long> moments) {
    if (moment > span.beginNanos() && moment < span.endNanos()) {
      moments.add(moment);
    }
  }

  /** What the host does that is a cause comes first, then waiting for the GPU, then the rest. */
  private static Lane host(IdleAnalysis analysis, Span span) {
    HostStates states = analysis.states();
    LaneColumns columns = new LaneColumns(span);
    int busy = columns.part(HOST_BUSY, "host in operators and calls");
    int waits = columns.part(HOST_WAITS, "host waiting for the GPU");
    int first = parts(columns);
    Intervals stated = new Intervals();
    for (int state = 0; state < states.count(); state++) {
      stated.add(states.begin(state), states.end(state));
      columns.put(first + states.cause(state).ordinal(), states.begin(state), states.end(state));
    }
    Intervals blocked = analysis.waits().blocked();
    columns.put(waits, blocked.without(stated));
    columns.put(busy, analysis.hostBusy().without(stated).without(blocked));
    return columns.lane("host");
  }

  /** Adds a part for each cause; the number of the first. */
  private static int parts(LaneColumns columns) {
    int first = 0;
    for (Cause cause : Cause.values()) {
      int part = columns.part(cause.id(), cause.words());
      first = cause.ordinal() == 0 ? part : first;
    }
    return first;
  }

  private static List<Lane> streams(Timeline timeline, Span span) {
    long[] busy = new long[timeline.profile().laneCount()];
    for (int work = 0; work < timeline.workCount(); work++) {
      if (!timeline.workKind(work).isCopy()) {
        busy[timeline.workStream(work)] += timeline.workEnd(work) - timeline.workStart(work);
      }
    }
    List<Integer> streams = new ArrayList<>();
    for (int stream = 0; stream < busy.length; stream++) {
      if (busy[stream] > 0) {
        streams.add(stream);
      }
    }
    streams.sort(Comparator.comparingLong((Integer stream) -> busy[stream]).reversed());
    int shown = streams.size() <= MAX_STREAMS ? streams.size() : MAX_STREAMS - 1;
    int[] laneOf = new int[busy.length];
    Arrays.fill(laneOf, shown);
    List<LaneColumns> columns = new ArrayList<>();
    for (int lane = 0; lane <= shown; lane++) {
      LaneColumns each = new LaneColumns(span);
      each.part(WorkKind.COMPUTE.id(), WorkKind.COMPUTE.words());
      each.part(WorkKind.COMMUNICATE.id(), WorkKind.COMMUNICATE.words());
      columns.add(each);
      if (lane < shown) {
        laneOf[streams.get(lane)] = lane;
      }
    }
    for (int work = 0; work < timeline.workCount(); work++) {
      if (!timeline.workKind(work).isCopy()) {
        columns
            .get(laneOf[timeline.workStream(work)])
            .add(
                timeline.workKind(work).ordinal(),
                timeline.workStart(work),
                timeline.workEnd(work));
      }
    }
    List<Lane> lanes = new ArrayList<>();
    for (int lane = 0; lane <= shown; lane++) {
      String name =
          lane < shown
              ? "stream " + timeline.profile().laneOf(streams.get(lane)).number()
              : streams.size() - shown + " other streams";
      lanes.add(columns.get(lane).lane(name));
    }
    return lanes;
  }

  private static Lane copies(Timeline timeline, Span span) {
    LaneColumns columns = new LaneColumns(span);
    for (WorkKind kind : WorkKind.values()) {
      columns.part(kind.id(), kind.words());
    }
    for (int work = 0; work < timeline.workCount(); work++) {
      if (timeline.workKind(work).isCopy()) {
        columns.add(
            timeline.workKind(work).ordinal(), timeline.workStart(work), timeline.workEnd(work));
      }
    }
    return columns.lane("copies");
  }

  private static Lane idle(Gaps gaps, Span span) {
    LaneColumns columns = new LaneColumns(span);
    int first = parts(columns);
    for (int gap = gaps.firstAfter(span.beginNanos());
        gap < gaps.count() && gaps.begin(gap) < span.endNanos();
        gap++) {
      columns.add(first + gaps.cause(gap).ordinal(), gaps.begin(gap), gaps.end(gap));
    }
    return columns.lane(IDLE);
  }
}
