package org.allocsim.reports.suite.failure;

import static org.allocsim.reports.suite.Requests.GIB;
import static org.allocsim.reports.suite.Requests.MIB;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.allocsim.reports.suite.Findings;
import org.allocsim.reports.suite.Kind;
import org.allocsim.reports.suite.Outcome;
import org.allocsim.reports.suite.Outcomes;
import org.allocsim.reports.suite.Requests;
import org.allocsim.reports.suite.SuiteScenario;
import org.allocsim.reports.suite.Topic;
import org.allocsim.reports.suite.Variant;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;

/** Gathered weights whose frees wait for a stream that the host has run ahead of. */
public final class RecordStreamRunAhead implements SuiteScenario {
  private static final int LAYERS = 40;
  private static final long GATHERED_BYTES = 512 * MIB;
  private static final long GATHER_STREAM = 7;
  private static final long RESIDENT_BYTES = 60 * GIB;
  private static final int[] RUN_AHEAD = {1, 4, 16, 32};

  /** A scenario; the service loader makes it. */
  public RecordStreamRunAhead() {}

  @Override
  public Topic topic() {
    return new Topic(
        "record-stream-run-ahead",
        Kind.FAILURE,
        "the peak grows with how far the host runs ahead",
        "pytorch/torchtitan#191 (71 to 87 GB), pytorch/torchtitan#735, pytorch/pytorch#147168",
        "60 GiB stay. 40 layers' weights of 512 MiB are gathered on one stream and used on another"
            + " (record_stream), which finishes k layers later than the host. Before: k = 32;"
            + " after: the host makes the streams wait instead, and memory is free for reuse at"
            + " once.");
  }

  @Override
  public List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    Variant waiting = Variant.of("streams wait", layers(0)).capacity(140 * GIB);
    variants.add(waiting.named(label(32)).running(layers(32)));
    variants.add(waiting);
    for (int ahead : RUN_AHEAD) {
      if (ahead != 32) {
        variants.add(waiting.named(label(ahead)).running(layers(ahead)));
      }
    }
    return variants;
  }

  private static String label(int ahead) {
    return "record_stream, " + ahead + (ahead == 1 ? " layer" : " layers") + " ahead";
  }

  /** Layers of a forward pass; the uses on the other stream end so many layers later. */
  private static AllocationTrace layers(int ahead) {
    Requests program = new Requests();
    program.allocate(RESIDENT_BYTES);
    Queue<Integer> unfinished = new ArrayDeque<>();
    for (int layer = 0; layer < LAYERS; layer++) {
      int gathered =
          program.allocate(
              GATHERED_BYTES,
              GATHER_STREAM,
              org.allocsim.simulator.trace.PoolId.DEFAULT);
      if (ahead > 0) {
        program.useStream(gathered, 0);
        unfinished.add(gathered);
      }
      program.free(gathered);
      if (unfinished.size() > ahead) {
        program.useComplete(unfinished.remove());
      }
    }
    unfinished.forEach(program::useComplete);
    return program.build();
  }

  @Override
  public Findings judge(Outcomes outcomes) {
    Outcome far = outcomes.before();
    Outcome waiting = outcomes.after();
    Findings.Builder findings =
        Findings.ofFailure().shows(Findings.reserved(far), Findings.reserved(waiting));
    for (int ahead : RUN_AHEAD) {
      findings.bytes(
          "reserved, " + label(ahead),
          RESIDENT_BYTES + (ahead + 1) * GATHERED_BYTES,
          outcomes.of(label(ahead)).peakReservedBytes());
    }
    return findings
        .bytes(
            "reserved where streams wait",
            RESIDENT_BYTES + GATHERED_BYTES,
            waiting.peakReservedBytes())
        .between(
            "growth of the peak, 87 : 71 = 1.23",
            1.15,
            1.35,
            (double) far.peakReservedBytes() / waiting.peakReservedBytes())
        .conclude(
            "Memory that another stream uses can serve again only when that stream has come so far;"
                + " every layer that the host is ahead costs one more buffer, "
                + ByteFormat.human(far.peakReservedBytes() - waiting.peakReservedBytes())
                + " at 32 layers, although the program holds the same at every point.");
  }
}
