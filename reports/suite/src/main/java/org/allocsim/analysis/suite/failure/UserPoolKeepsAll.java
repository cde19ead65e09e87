package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/** A user's pool in use does not give back what is free in it. */
public final class UserPoolKeepsAll implements SuiteScenario {
  private static final PoolId POOL = new PoolId(0, 1);
  private static final String LOAD = "weights loaded into a pool";
  private static final String LOAD_OUTSIDE = "weights loaded outside the pool";
  private static final int LAYERS = 24;

  @Override
  public Topic topic() {
    return new Topic(
        "user-pool-keeps-all",
        Kind.FAILURE,
        "a live MemPool never releases memory",
        "pytorch/pytorch#159674 (sizes published), vllm-project/vllm#49151 (totals published)",
        "On 80 GiB with 79 GiB free: 60 GiB are allocated and freed, then 70 GiB are requested."
            + " Before: inside a MemPool; after: outside. Also: weights of 9.61 GiB whose"
            + " conversion needs temporaries, loaded inside and outside of a MemPool on 16 GB.");
  }

  @Override
  public List<Variant> variants() {
    Variant inside = Variant.of("in a MemPool", largeThenLarger(POOL)).capacity(79 * GIB);
    Variant load = Variant.of(LOAD, load(POOL)).capacity(Requests.gib(15.5));
    return List.of(
        inside,
        inside.named("outside").running(largeThenLarger(PoolId.DEFAULT)),
        load,
        load.named(LOAD_OUTSIDE).running(load(PoolId.DEFAULT)));
  }

  private static AllocationTrace largeThenLarger(PoolId pool) {
    Requests program = new Requests();
    program.free(program.allocate(60 * GIB, 0, pool));
    program.emptyCache();
    program.mark("empty_cache");
    program.free(program.allocate(60 * GIB, 0, pool));
    program.allocate(70 * GIB, 0, pool);
    return program.build();
  }

  /** Each layer's packed weights are unpacked and packed anew, which takes growing buffers. */
  private static AllocationTrace load(PoolId pool) {
    Requests program = new Requests();
    program.allocate(Requests.gib(9.08), 0, pool);
    program.mark("held before");
    for (int layer = 0; layer < LAYERS; layer++) {
      program.free(program.allocate((206 + 2L * layer) * MIB, 0, pool));
    }
    program.allocate(Requests.gib(0.53), 0, PoolId.DEFAULT);
    program.mark("loaded");
    program.emptyCache();
    return program.build();
  }

  @Override
  public Findings judge(Outcome inside, Outcome outside, Outcomes outcomes) {
    Outcome load = outcomes.of(LOAD);
    Outcome loadOutside = outcomes.of(LOAD_OUTSIDE);
    return Findings.ofFailure()
        .shows(Findings.reserved(inside), Findings.reserved(outside))
        .holds("70 GiB fail inside the pool", !inside.passes())
        .gib("kept by empty_cache() inside", "60.00", inside.at("empty_cache").reservedBytes())
        .holds("70 GiB are served outside", outside.passes())
        .count("retries outside", 1, outside.stat("num_alloc_retries"))
        .gib(
            "live before the load, published 9.08", "9.08", load.at("held before").allocatedBytes())
        .gib("live after the load, published 9.61", "9.61", load.end().allocatedBytes())
        .between(
            "GiB in the pool after the load, published 14.44",
            14.3,
            14.6,
            (double) (load.end().reservedBytes() - Requests.gib(0.53)) / GIB)
        .bytes(
            "left outside the pool after empty_cache()",
            loadOutside.end().allocatedBytes(),
            loadOutside.end().reservedBytes())
        .conclude(
            "Outside the pool, the failed request makes the allocator release the free segment"
                + " and retry ({} cudaFree calls). Inside a pool that is still owned nothing is"
                + " released: {} is free while a request for 70 GiB fails, and empty_cache()"
                + " does not help either.",
            String.valueOf(outside.calls(DriverCall.FREE)),
            inside.end().slack().privateBytes());
  }
}
