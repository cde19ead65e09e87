package org.allocsim.analysis.idle.timeline;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;

/**
 * The steps of a profile. On the host a step begins where its annotation does and ends where the
 * next one begins. On the GPU it begins when what was queued before is done: a host that runs ahead
 * is in a later step than the GPU.
 */
public final class Steps {
  private static final String PROFILER_STEP = "ProfilerStep#";

  private final String[] names;
  private final int thread;

  /** Begins of the steps on the host, and the end of the last. */
  private final long[] hostNanos;

  /** The same on the GPU. */
  private final long[] gpuNanos;

  private Steps(String[] names, int thread, long[] hostNanos, long[] gpuNanos) {
    this.names = names;
    this.thread = thread;
    this.hostNanos = hostNanos;
    this.gpuNanos = gpuNanos;
  }

  /** Finds the steps: of the profiler, or an annotation that recurs, or else all as one. */
  public static Steps of(Timeline timeline) {
    TimeProfile profile = timeline.profile();
    int[] rows = rowsOf(profile, profilerSteps(profile));
    boolean isWhole = rows.length > 0;
    if (!isWhole) {
      int name = recurring(timeline);
      rows = name < 0 ? new int[0] : rowsOf(profile, oneName(profile, name));
    }
    if (rows.length == 0) {
      return whole(timeline);
    }
    // What follows the last of the program's own annotations belongs to a step that is cut off.
    int count = isWhole || rows.length == 1 ? rows.length : rows.length - 1;
    String[] names = new String[count];
    long[] host = new long[count + 1];
    for (int step = 0; step < count; step++) {
      names[step] = profile.name(rows[step]);
      host[step] = profile.startNanos(rows[step]);
    }
    host[count] =
        count < rows.length ? profile.startNanos(rows[count]) : profile.endNanos(rows[count - 1]);
    return new Steps(names, profile.lane(rows[0]), host, onGpu(timeline, host));
  }

  private static boolean[] profilerSteps(TimeProfile profile) {
    boolean[] chosen = new boolean[profile.nameCount()];
    for (int name = 0; name < chosen.length; name++) {
      chosen[name] = profile.nameText(name).startsWith(PROFILER_STEP);
    }
    return chosen;
  }

  private static boolean[] oneName(TimeProfile profile, int name) {
    boolean[] chosen = new boolean[profile.nameCount()];
    chosen[name] = true;
    return chosen;
  }

  /** The annotations of these names on the thread of the first, none inside of another. */
  private static int[] rowsOf(TimeProfile profile, boolean[] chosen) {
    int[] rows = new int[16];
    int count = 0;
    for (int row = 0; row < profile.count(); row++) {
      if (profile.kind(row) == RowKind.ANNOTATION
          && chosen[profile.nameNumber(row)]
          && profile.durationNanos(row) > 0
          && (count == 0
              || profile.lane(row) == profile.lane(rows[0])
                  && profile.startNanos(row) >= profile.endNanos(rows[count - 1]))) {
        if (count == rows.length) {
          rows = Arrays.copyOf(rows, count * 2);
        }
        rows[count++] = row;
      }
    }
    return Arrays.copyOf(rows, count);
  }

  /** The annotation that recurs and lasts longest in all; −1 where none recurs. */
  private static int recurring(Timeline timeline) {
    TimeProfile profile = timeline.profile();
    Map<Integer, long[]> sums = new HashMap<>();
    for (int row = 0; row < profile.count(); row++) {
      if (profile.kind(row) == RowKind.ANNOTATION && !timeline.isLoad(row)) {
        long[] sum = sums.computeIfAbsent(profile.nameNumber(row), _ -> new long[2]);
        sum[0]++;
        sum[1] += profile.durationNanos(row);
      }
    }
    int best = -1;
    long longest = 0;
    for (int name = 0; name < profile.nameCount(); name++) {
      long[] sum = sums.get(name);
      if (sum != null && sum[0] > 1 && sum[1] > longest) {
        longest = sum[1];
        best = name;
      }
    }
    return best;
  }

  private static Steps whole(Timeline timeline) {
    long begin = Long.MAX_VALUE;
    long end = 0;
    int thread = 0;
    for (int work = 0; work < timeline.workCount(); work++) {
      begin = Math.min(begin, timeline.queuedNanos(work));
      end = Math.max(end, timeline.workEnd(work));
      if (work == 0 && timeline.callOf(work) >= 0) {
        thread = timeline.callThread(timeline.callOf(work));
      }
    }
    long[] host = {begin, end};
    return new Steps(new String[] {"whole profile"}, thread, host, host);
  }

  /** When the GPU is through with what was queued before each boundary. */
  private static long[] onGpu(Timeline timeline, long[] host) {
    long[] gpu = host.clone();
    for (int work = 0; work < timeline.workCount(); work++) {
      int place = Arrays.binarySearch(host, timeline.queuedNanos(work));
      // Work queued at a boundary belongs to the step that begins there.
      int boundary = place >= 0 ? place + 1 : -1 - place;
      if (boundary < gpu.length) {
        gpu[boundary] = Math.max(gpu[boundary], timeline.workEnd(work));
      }
    }
    for (int boundary = 1; boundary < gpu.length; boundary++) {
      gpu[boundary] = Math.max(gpu[boundary], gpu[boundary - 1]);
    }
    return gpu;
  }

  public int count() {
    return names.length;
  }

  public String name(int step) {
    return names[step];
  }

  /** The thread that has the annotations. */
  public int thread() {
    return thread;
  }

  /** Begin of a step on the host; of the step after the last, the end. */
  public long hostNanos(int boundary) {
    return hostNanos[boundary];
  }

  /** Begin of a step on the GPU; of the step after the last, the end. */
  public long gpuNanos(int boundary) {
    return gpuNanos[boundary];
  }

  /** The step of a moment on the host; −1 before the first, the count after the last. */
  public int onHost(long nanos) {
    int place = Arrays.binarySearch(hostNanos, nanos);
    return place >= 0 ? place : -2 - place;
  }

  public long beginNanos() {
    return gpuNanos[0];
  }

  public long endNanos() {
    return gpuNanos[gpuNanos.length - 1];
  }
}
