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
import org.allocsim.simulator.trace.AllocationTrace;

/** A request that fails although free memory would suffice, for lack of one piece. */
public final class CarvedUpSegments implements SuiteScenario {
  private static final long TENSOR_BYTES = 11_643_387_904L;
  private static final long SURVIVOR_BYTES = 499_214_336L;
  private static final String TENSOR = "tensor of 11.6 GB, again";
  private static final String TENSOR_EXPANDABLE = "tensor of 11.6 GB, expandable segments";
  private static final String SPLIT_BLOCKS = "50 MB with 13 GB free";
  private static final String SPLIT_BLOCKS_LIMITED = "50 MB with 13 GB free, split limit";
  private static final int SEGMENTS = 400;

  @Override
  public Topic topic() {
    return new Topic(
        "carved-up-segments",
        Kind.FAILURE,
        "a request fails although more memory is free than it asks for",
        "flashlight/flashlight#180, pytorch/pytorch#35901, pytorch/pytorch#44742",
        "On 12 GiB: 10 GiB are allocated and freed, 5 GiB are placed in their segment and stay,"
            + " then 6 GiB are requested. Before: default settings; after: max_split_size_mb:200."
            + " Also: a tensor of 11 643 387 904 B whose segment is carved up by 499 214 336 B of"
            + " survivors, and a request for 50 MB on a 32 GB GPU with 13 GB free in parts of"
            + " segments.");
  }

  @Override
  public List<Variant> variants() {
    Variant twin = Variant.of("default", carved()).capacity(12 * GIB);
    Variant tensor = Variant.of(TENSOR, tensor()).capacity(16 * GIB);
    Variant parts = Variant.of(SPLIT_BLOCKS, splitBlocks()).capacity(partsGpuBytes());
    return List.of(
        twin,
        twin.under("max_split_size_mb:200"),
        twin.under("expandable_segments:True"),
        tensor,
        tensor.under("expandable_segments:True").named(TENSOR_EXPANDABLE),
        parts,
        parts.under("max_split_size_mb:40").named(SPLIT_BLOCKS_LIMITED));
  }

  private static AllocationTrace carved() {
    Requests program = new Requests();
    program.use(10 * GIB);
    program.allocate(5 * GIB);
    program.allocate(6 * GIB);
    return program.build();
  }

  private static AllocationTrace tensor() {
    Requests program = new Requests();
    program.mark("first iteration");
    program.use(TENSOR_BYTES);
    program.mark("second iteration");
    program.allocate(SURVIVOR_BYTES);
    program.allocate(TENSOR_BYTES);
    return program.build();
  }

  private static long partsGpuBytes() {
    return SEGMENTS * 74 * MIB + 40 * MIB;
  }

  /** Segments of 74 MiB that are full first, and hold 42 MiB each afterwards. */
  private static AllocationTrace splitBlocks() {
    Requests program = new Requests();
    List<Integer> large = new ArrayList<>();
    for (int i = 0; i < SEGMENTS; i++) {
      large.add(program.allocate(74 * MIB));
    }
    program.freeAll(large);
    for (int i = 0; i < SEGMENTS; i++) {
      program.allocate(42 * MIB);
    }
    program.allocate(50_000_000L);
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome after, Outcomes outcomes) {
    Outcome tensor = outcomes.of(TENSOR);
    Outcome parts = outcomes.of(SPLIT_BLOCKS);
    Findings.Builder findings =
        Findings.ofFailure()
            .shows(Findings.reserved(plain), Findings.reserved(after))
            .holds("6 GiB fail by default", !plain.passes());
    if (!plain.passes()) {
      findings
          .gib("live then", "5.00", plain.atFailure().allocatedBytes())
          .gib("stuck in the segment at that moment", "5.00", plain.atFailure().slackBytes())
          .gib("free on the device at that moment", "2.00", plain.atFailure().deviceFreeBytes());
    }
    findings
        .holds("they are served with max_split_size_mb:200", after.passes())
        .gib("reserved then", "11.00", after.peakReservedBytes())
        .holds("and with expandable segments", outcomes.of("expandable_segments:True").passes())
        .holds(
            "the tensor of 11.6 GB fits the first time but not the second",
            !tensor.passes() && tensor.reached("second iteration"))
        .holds("with expandable segments it fits again", outcomes.of(TENSOR_EXPANDABLE).passes())
        .holds("50 MB fail with 13 GB free", !parts.passes());
    if (!parts.passes()) {
      findings.between(
          "GB free in parts of segments at that moment",
          13,
          14.5,
          parts.atFailure().slackBytes() / 1e9);
    }
    return findings
        .holds("with a split limit they do not", outcomes.of(SPLIT_BLOCKS_LIMITED).passes())
        .conclude(
            "A survivor of {} keeps the rest of its large segment, {}, from being released or"
                + " merged with the {} that is free on the device. Settings that keep small"
                + " requests out of large segments, or release single pages, serve the same"
                + " request.",
            plain.end().allocatedBytes(),
            plain.end().slackBytes(),
            plain.end().deviceFreeBytes());
  }
}
