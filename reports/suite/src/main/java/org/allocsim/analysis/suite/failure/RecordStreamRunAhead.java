package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.Work;

/** Gathered weights whose frees wait for a stream that the host has run ahead of. */
public final class RecordStreamRunAhead implements SuiteScenario {
  private static final int LAYERS = 40;
  private static final long GATHERED_BYTES = 512 * MIB;
  private static final long GATHER_STREAM = 7;
  private static final long RESIDENT_BYTES = 60 * GIB;
  private static final long GATHER_NANOS = 3_000_000;
  private static final long LAYER_NANOS = 10_000_000;
  private static final long HOST_NANOS = 10_000;
  private static final int[] RUN_AHEAD = {1, 4, 16, 32};

  @Override
  public Topic topic() {
    return new Topic(
        "record-stream-run-ahead",
        Kind.FAILURE,
        "the peak grows with how far the host runs ahead",
        "pytorch/torchtitan#191 (71 to 87 GB), pytorch/torchtitan#735, pytorch/pytorch#147168",
        "60 GiB stay. 40 layers' weights of 512 MiB are gathered on one stream and used on"
            + " another (record_stream), and the host runs k layers ahead of it. Before: k = 32;"
            + " after: the gathering stream waits for the use instead, and memory can be reused"
            + " at once.");
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

  /** Layers of a forward pass; the host stays at most so many layers ahead of the GPU. */
  private static AllocationTrace layers(int ahead) {
    Requests program = new Requests();
    program.allocate(RESIDENT_BYTES);
    for (int layer = 0; layer < LAYERS; layer++) {
      int gathered = program.allocate(GATHERED_BYTES, GATHER_STREAM, PoolId.DEFAULT);
      program.launch(new Work.Timed(GATHER_NANOS), GATHER_STREAM);
      program.recordEvent(2 * layer, GATHER_STREAM);
      program.waitEvent(2 * layer, 0);
      program.launch(new Work.Timed(LAYER_NANOS), 0);
      program.recordEvent(2 * layer + 1, 0);
      if (ahead > 0) {
        program.useStream(gathered, 0);
      } else {
        // What is gathered next into the same memory waits for this layer's use of it.
        program.waitEvent(2 * layer + 1, GATHER_STREAM);
      }
      program.free(gathered);
      if (ahead > 0 && layer >= ahead) {
        program.synchronizeEvent(2 * (layer - ahead) + 1);
        program.hostWork(HOST_NANOS);
      }
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome far, Outcome waiting, Outcomes outcomes) {
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
            "Memory in use on another stream can be reused only once that stream has caught up;"
                + " every layer that the host runs ahead costs one more buffer, {} at 32 layers."
                + " If the gathering stream waits, one buffer is enough, and 40 layers need {},"
                + " and with record_stream {}.",
            far.peakReservedBytes() - waiting.peakReservedBytes(),
            Numbers.duration(waiting.time().endNanos()),
            Numbers.duration(far.time().endNanos()));
  }
}
