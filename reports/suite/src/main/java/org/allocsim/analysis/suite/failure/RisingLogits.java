package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;

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

/** Logits of batches with ever more tokens. */
public final class RisingLogits implements SuiteScenario {
  /** Bytes of one token's logits: a vocabulary of 151 936 in half precision. */
  private static final long TOKEN_BYTES = 303_872;

  private static final List<Integer> TOKENS = List.of(14_500, 17_000, 19_000, 20_480);

  /** Reserved memory after each batch, as published. */
  private static final List<String> PUBLISHED_GIB = List.of("11.50", "16.31", "21.69", "27.49");

  private static final String TWO_ASCENDING = "two buffers, ascending";
  private static final String TWO_DESCENDING = "two buffers, descending";
  private static final String TWO_EXPANDABLE = "two buffers, expandable segments";

  @Override
  public Topic topic() {
    return new Topic(
        "rising-logits",
        Kind.FAILURE,
        "reserved memory is the sum of all maxima",
        "ROCm/legacy-rocm-build#6333 (sizes published; earlier allocations are constructed)",
        "A model of 7.40 GiB stays; batches of 14 500, 17 000, 19 000 and 20 480 tokens each"
            + " allocate and free logits of 303 872 B per token. Before: in this order; after:"
            + " the largest batch first.");
  }

  @Override
  public List<Variant> variants() {
    AllocationTrace two = batches(TOKENS, 0, 2);
    Variant rising = Variant.of("ascending", ascending()).capacity(80 * GIB);
    return List.of(
        rising,
        rising.named("descending").running(batches(TOKENS.reversed(), modelBytes(), 1)),
        rising.under("expandable_segments:True"),
        rising.named(TWO_ASCENDING).running(two),
        rising.named(TWO_DESCENDING).running(batches(TOKENS.reversed(), 0, 2)),
        rising.running(two).under("expandable_segments:True").named(TWO_EXPANDABLE));
  }

  /** The batches in rising order. */
  public static AllocationTrace ascending() {
    return batches(TOKENS, modelBytes(), 1);
  }

  /** So much that 11.50 GiB are reserved after the first batch, as in the report. */
  private static long modelBytes() {
    return Requests.gib(7.3945);
  }

  private static AllocationTrace batches(List<Integer> tokens, long heldBytes, int buffers) {
    Requests program = new Requests();
    if (heldBytes > 0) {
      program.allocate(heldBytes);
    }
    for (int count : tokens) {
      List<Integer> taken =
          java.util.stream.IntStream.range(0, buffers)
              .mapToObj(_ -> program.allocate(count * TOKEN_BYTES))
              .toList();
      program.freeAll(taken);
      program.mark(count + " tokens");
    }
    program.emptyCache();
    program.mark("empty_cache");
    return program.build();
  }

  @Override
  public Findings judge(Outcome rising, Outcome falling, Outcomes outcomes) {
    Findings.Builder findings =
        Findings.ofFailure().shows(Findings.reserved(rising), Findings.reserved(falling));
    for (int i = 0; i < TOKENS.size(); i++) {
      String marker = TOKENS.get(i) + " tokens";
      findings.gib(
          "reserved after " + marker, PUBLISHED_GIB.get(i), rising.at(marker).reservedBytes());
    }
    double peakGib = (double) rising.peakAllocatedBytes() / GIB;
    return findings
        .between("peak of live memory in GiB, published 13.33", 13.33 * 0.98, 13.33, peakGib)
        .bytes(
            "cached after empty_cache",
            0,
            rising.at("empty_cache").reservedBytes() - rising.at("empty_cache").allocatedBytes())
        .bytes(
            "reserved by the descending order: the model and the largest batch",
            roundedUp(modelBytes()) + roundedUp(TOKENS.getLast() * TOKEN_BYTES),
            falling.peakReservedBytes())
        .gib("two buffers, ascending", "40.19", outcomes.of(TWO_ASCENDING).peakReservedBytes())
        .gib("two buffers, descending", "11.59", outcomes.of(TWO_DESCENDING).peakReservedBytes())
        .gib(
            "two buffers, expandable segments",
            "11.60",
            outcomes.of(TWO_EXPANDABLE).peakReservedBytes())
        .conclude(
            "No cached segment fits a larger batch, so every new maximum adds its own: {} for {}"
                + " of live memory. With the largest batch first, all others fit into its"
                + " segment ({}); expandable segments need {} in either order.",
            rising.peakReservedBytes(),
            rising.peakAllocatedBytes(),
            falling.peakReservedBytes(),
            outcomes.of("expandable_segments:True").peakReservedBytes());
  }

  /** Segments of large requests are multiples of 2 MiB. */
  private static long roundedUp(long bytes) {
    long unit = 2 * Requests.MIB;
    return (bytes + unit - 1) / unit * unit;
  }
}
