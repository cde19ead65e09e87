package org.allocsim.simulator.policy.offline;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.ggml.TensorAllocator;
import org.jspecify.annotations.Nullable;

/** Makes allocators that follow a plan of the whole trace. */
public abstract class PlannerProvider implements PolicyProvider {
  /** Largest request that is planned on a device that does not report its size. */
  private static final long MAX_BYTES = 1L << 46;

  private final PolicySpec spec;

  private PlannerProvider(PolicySpec spec) {
    this.spec = spec;
  }

  @Override
  public final PolicySpec spec() {
    return spec;
  }

  @Override
  public final AllocatorPolicy create(
      PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener listener)
      throws PolicyOptionException, UnfitTraceException {
    PolicyOptions options = new PolicyOptions(spec, settings);
    long alignment = options.bytes(PlanOptions.ALIGNMENT, 1);
    if (alignment > PlanOptions.MAX_ALIGNMENT_BYTES || Long.bitCount(alignment) != 1) {
      throw options.wrong(
          PlanOptions.ALIGNMENT, "a power of two up to 1GiB; write such a number of bytes");
    }
    if (!future.isKnown()) {
      throw new UnfitTraceException("all requests before the first is served");
    }
    long limit = settings.limitBytes();
    long most = device.totalBytes() < 0 ? MAX_BYTES : Math.min(MAX_BYTES, device.totalBytes());
    Lifetimes.OfTrace planned =
        Lifetimes.of(future, alignment, limit < 0 ? most : Math.min(most, limit));
    Plan plan = plan(planned.lifetimes(), options, new PlanBudget(planned.lifetimes().count()));
    if (plan == null) {
      throw PlanBudget.exceeded();
    }
    return new PlannedAllocator(planned, plan, alignment, limit, device, listener);
  }

  /** A plan, or null where making one takes more than the budget. */
  abstract @Nullable Plan plan(Lifetimes lifetimes, PolicyOptions options, PlanBudget budget)
      throws PolicyOptionException, UnfitTraceException;

  /** Provider of {@code plan-greedy-size}. */
  public static final class Greedy extends PlannerProvider {
    private static final String ORDER = "order";

    /** A provider; the service loader makes it. */
    public Greedy() {
      super(
          new PolicySpec(
              PolicySpec.Kind.OFFLINE,
              "plan-greedy-size",
              "one segment planned greedily: largest first, each into the smallest gap that fits",
              "TensorFlow Lite, greedy_by_size_assignment.cc (25227c9); source read",
              List.of(
                  PlanOptions.ALIGNMENT_OPTION,
                  new PolicySpec.Option(
                      ORDER, "size", "", "planning order: size, area, lifetime or time"))));
    }

    @Override
    @Nullable Plan plan(Lifetimes lifetimes, PolicyOptions options, PlanBudget budget)
        throws PolicyOptionException {
      String text = options.text(ORDER).strip();
      GreedyPlanner.Order order =
          Arrays.stream(GreedyPlanner.Order.values())
              .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
              .findFirst()
              .orElseThrow(() -> options.wrong(ORDER, "size, area, lifetime or time"));
      return GreedyPlanner.plan(lifetimes, order, budget);
    }
  }

  /** Provider of {@code ggml-graph}. */
  public static final class GgmlGraph extends PlannerProvider {
    private static final String MAX_BUFFER = "max-buffer";
    private static final String NONE = "none";

    /** A provider; the service loader makes it. */
    public GgmlGraph() {
      super(
          new PolicySpec(
              PolicySpec.Kind.OFFLINE,
              "ggml-graph",
              "ggml-alloc's plan of a compute graph: best fit in the order of the requests",
              "ggml-org/ggml d99724f2 (2026-08-21), ggml-alloc.c; source read and driven",
              List.of(
                  new PolicySpec.Option(
                      PlanOptions.ALIGNMENT,
                      "128",
                      "bytes",
                      "unit of sizes, a power of two; 128 on CUDA"),
                  new PolicySpec.Option(
                      MAX_BUFFER,
                      NONE,
                      "bytes",
                      "size of the largest buffer that the device makes, or none, as on CUDA"))));
    }

    @Override
    Plan plan(Lifetimes lifetimes, PolicyOptions options, PlanBudget budget)
        throws PolicyOptionException, UnfitTraceException {
      return TensorPlanner.plan(
          lifetimes,
          new TensorAllocator(
              options.bytes(PlanOptions.ALIGNMENT, 1),
              options.text(MAX_BUFFER).strip().equals(NONE)
                  ? Long.MAX_VALUE
                  : options.bytes(MAX_BUFFER, 1)));
    }
  }

  /** Provider of {@code plan-search}. */
  public static final class Search extends PlannerProvider {
    private static final String NODES = "nodes";

    /** A provider; the service loader makes it. */
    public Search() {
      super(
          new PolicySpec(
              PolicySpec.Kind.OFFLINE,
              "plan-search",
              "one segment planned by branch and bound: the lowest plan found",
              "rules of MiniMalloc (M. Moffitt, ASPLOS 2023; google/minimalloc 9f5cf81);"
                  + " published rules",
              List.of(
                  PlanOptions.ALIGNMENT_OPTION,
                  new PolicySpec.Option(
                      NODES,
                      "300000",
                      "",
                      "maximum number of placements tried; after that, the best plan so far is"
                          + " used"))));
    }

    @Override
    @Nullable Plan plan(Lifetimes lifetimes, PolicyOptions options, PlanBudget budget)
        throws PolicyOptionException {
      return SearchPlanner.plan(lifetimes, options.integer(NODES, 0, 1L << 40), budget);
    }
  }
}
