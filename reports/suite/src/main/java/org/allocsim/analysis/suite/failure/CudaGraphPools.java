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
import org.allocsim.simulator.trace.PoolId;

/** A CUDA graph for each of eleven resolutions. */
public final class CudaGraphPools implements SuiteScenario {
  private static final int RESOLUTIONS = 11;
  private static final int SMALLEST = 352;
  private static final int STEP = 40;

  /** Temporaries of a graph, of which all are live at once. */
  private static final int TEMPORARIES = 16;

  /** Bytes of one temporary for each pixel, so that the largest graph takes 5.1 GiB. */
  private static final double PIXEL_BYTES =
      5.1 * GIB / TEMPORARIES / Math.pow(SMALLEST + STEP * (RESOLUTIONS - 1.0), 2);

  @Override
  public Topic topic() {
    return new Topic(
        "cuda-graph-pools",
        Kind.FAILURE,
        "every captured graph keeps its own pool",
        "roboflow/rf-detr#1490 (totals published; resolutions and temporaries are constructed)",
        "6.3 GiB stay. Graphs for 11 resolutions are captured; each allocates 16 temporaries in"
            + " proportion to its pixels and frees them into its pool. Before: a private pool"
            + " for each graph; after: one shared pool, largest graph first.");
  }

  @Override
  public List<Variant> variants() {
    Variant pools = Variant.of("a pool each", capture(false)).capacity(80 * GIB);
    return List.of(pools, pools.named("one pool").running(capture(true)));
  }

  private static AllocationTrace capture(boolean shared) {
    Requests program = new Requests();
    program.allocate(Requests.gib(6.3));
    for (int i = RESOLUTIONS - 1; i >= 0; i--) {
      long side = SMALLEST + (long) STEP * i;
      long bytes = Math.round(PIXEL_BYTES * side * side / MIB) * MIB;
      PoolId pool = new PoolId(shared ? 1 : RESOLUTIONS - i, 0);
      List<Integer> temporaries = new ArrayList<>();
      for (int j = 0; j < TEMPORARIES; j++) {
        temporaries.add(program.allocate(bytes, 0, pool));
      }
      program.freeAll(temporaries);
    }
    program.mark("captured");
    program.emptyCache();
    return program.build();
  }

  @Override
  public Findings judge(Outcome pools, Outcome shared, Outcomes outcomes) {
    double ratio = (double) pools.peakReservedBytes() / shared.peakReservedBytes();
    return Findings.ofFailure()
        .shows(Findings.reserved(pools), Findings.reserved(shared))
        .between("reserved by private pools over one shared pool, 38.2 : 11.4", 3.18, 3.52, ratio)
        .between(
            "GiB reserved by private pools, published 38.2",
            37.4,
            39,
            (double) pools.peakReservedBytes() / GIB)
        .between(
            "GiB reserved by one shared pool, published 11.4",
            11.2,
            11.6,
            (double) shared.peakReservedBytes() / GIB)
        .bytes(
            "empty_cache() releases of the graphs' pools",
            0,
            pools.at("captured").reservedBytes() - pools.end().reservedBytes())
        .conclude(
            "Memory that a graph frees stays in its pool for the next replay: {} is free in 11"
                + " pools while {} is live, and empty_cache() releases none of it. Graphs that"
                + " never run at the same time can share one pool of {}.",
            pools.at("captured").slack().privateBytes(),
            pools.end().allocatedBytes(),
            shared.at("captured").slack().privateBytes());
  }
}
