package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/** The driver's pool refuses a request beside a third of free memory. */
public final class AsyncPoolHoles implements SuiteScenario {
  private static final String ASYNC = "cuda-async(release-threshold=max)";
  private static final String NO_WAIT = "freed on another stream";
  private static final String WAIT = "freed on another stream, synchronised";

  /** Sizes of the report over 8, as is the request; the pool's chunks keep their size. */
  private static final long GPU_BYTES = 84_490_059_776L / 8;

  private static final double USED_SHARE = 53_514_136_688.0 / 84_490_059_776L;
  private static final long REFUSED_BYTES = 132_870_728L;

  @Override
  public Topic topic() {
    return new Topic(
        "async-pool-holes",
        Kind.FAILURE,
        "the driver's pool fails with a third of its memory free",
        "rapidsai/rmm#1245, pytorch/pytorch#110194 (totals published; program constructed)",
        "Blocks of 4 to 12 MiB fill an eighth of an 84.5 GB GPU; a third of them, each next to"
            + " one that stays, is freed; then 132 870 728 B are requested. Before:"
            + " cudaMallocAsync's pool; after: cudaMalloc for every request. Also: half a GPU"
            + " freed on another stream, with and without waiting for it.");
  }

  @Override
  public List<Variant> variants() {
    Variant holes = Variant.of("pool", holes()).capacity(GPU_BYTES).with(ASYNC).named("pool");
    Variant streams =
        Variant.of(NO_WAIT, otherStream(false))
            .capacity(4 * GIB)
            .with(
                "cuda-async(release-threshold=max;reuse-opportunistic=false;reuse-internal-dependencies=false)");
    return List.of(
        holes,
        holes.with("direct"),
        holes.with("pytorch"),
        streams.named(NO_WAIT),
        streams.named(WAIT).running(otherStream(true)));
  }

  private static AllocationTrace holes() {
    Requests program = new Requests();
    SplittableRandom random = new SplittableRandom(1245);
    List<Integer> gone = new ArrayList<>();
    long filled = 0;
    while (true) {
      long stays = 2 * MIB * random.nextLong(2, 7);
      long goes = 2 * MIB * Math.round(stays * (1 - USED_SHARE) / USED_SHARE / (2 * MIB));
      filled += stays + goes;
      if (filled > GPU_BYTES - 64 * MIB) {
        break;
      }
      program.allocate(stays);
      gone.add(program.allocate(goes));
    }
    program.freeAll(gone);
    program.synchronize();
    program.mark("freed");
    program.allocate(REFUSED_BYTES);
    return program.build();
  }

  private static AllocationTrace otherStream(boolean waits) {
    Requests program = new Requests();
    for (int i = 0; i < 8; i++) {
      program.free(program.allocate(3 * GIB, 7, PoolId.DEFAULT));
    }
    if (waits) {
      program.synchronize();
    }
    program.allocate(2 * GIB);
    return program.build();
  }

  @Override
  public Findings judge(Outcome pool, Outcome direct, Outcomes outcomes) {
    double used = (double) pool.at("freed").allocatedBytes() / pool.at("freed").reservedBytes();
    return Findings.ofFailure()
        .shows(Findings.reserved(pool), Findings.reserved(direct))
        .holds("the pool fails on 132 870 728 B", !pool.passes())
        .between("fraction of the pool in use at that moment, 53.5 : 84.5", 0.62, 0.66, used)
        .holds("cudaMalloc for every request serves them", direct.passes())
        .holds(
            "memory freed on another stream is not reused at first", !outcomes.of(NO_WAIT).passes())
        .holds("and served after a synchronisation", outcomes.of(WAIT).passes())
        .conclude(
            "The pool has {} free, in pieces between blocks in use; it can remap a 32 MiB chunk"
                + " only if the whole chunk is free. cudaMalloc for every request leaves no holes"
                + " and serves the program with at most {}.",
            pool.end().slackBytes(),
            direct.peakReservedBytes());
  }
}
