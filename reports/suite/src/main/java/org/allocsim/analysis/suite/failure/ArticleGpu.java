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
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.trace.AllocationTrace;

/** The error message of an article, with exactly its figures. */
public final class ArticleGpu implements SuiteScenario {
  private static final String JUST_BEFORE = "empty_cache just before";
  private static final int BLOCKS = 29;

  /** Free memory of a GPU of 16 GiB of which 0.5 GiB are held outside PyTorch. */
  public static final long GPU_BYTES = 16 * GIB - 512 * MIB;

  /** Where the program calls {@code empty_cache()}. */
  public enum Cleaning {
    /** Nowhere. */
    NEVER,
    /** Right before the request that fails. */
    JUST_BEFORE,
    /** Between the two phases. */
    BETWEEN_PHASES
  }

  @Override
  public Topic topic() {
    return new Topic(
        "article-gpu",
        Kind.FAILURE,
        "16 GiB GPU: 14.5 reserved, 12 allocated, 1 free, 2 asked",
        "article 'PyTorch Memory Management Overview' (mindfulchase.com); constructed twin",
        "0.5 GiB is in use outside PyTorch. 29 blocks of 512 MiB are allocated and freed, 29 of"
            + " 424 MiB stay, then 2 GiB are requested. Before: default settings; after: one"
            + " empty_cache() between the phases.");
  }

  @Override
  public List<Variant> variants() {
    AllocationTrace plain = program(Cleaning.NEVER);
    Variant gpu = Variant.of("default", plain).capacity(GPU_BYTES);
    return List.of(
        gpu,
        gpu.named("empty_cache between the phases").running(program(Cleaning.BETWEEN_PHASES)),
        gpu.named(JUST_BEFORE).running(program(Cleaning.JUST_BEFORE)),
        gpu.under("max_split_size_mb:128"),
        gpu.under("max_split_size_mb:256"),
        gpu.under("max_split_size_mb:512"),
        gpu.under("max_split_size_mb:1024"),
        gpu.under("expandable_segments:True"));
  }

  /** The article's program. */
  public static AllocationTrace program(Cleaning cleaning) {
    Requests program = new Requests();
    List<Integer> first = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      first.add(program.allocate(512 * MIB));
    }
    program.freeAll(first);
    if (cleaning == Cleaning.BETWEEN_PHASES) {
      program.emptyCache();
    }
    for (int i = 0; i < BLOCKS; i++) {
      program.allocate(424 * MIB);
    }
    if (cleaning == Cleaning.JUST_BEFORE) {
      program.emptyCache();
    }
    program.allocate(2 * GIB);
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome after, Outcomes outcomes) {
    Outcome expandable = outcomes.of("expandable_segments:True");
    Findings.Builder findings =
        Findings.ofFailure()
            .shows(Findings.reserved(plain), Findings.reserved(after))
            .holds("2 GiB fail by default", !plain.passes());
    if (!plain.passes()) {
      findings
          .gib("reserved then", "14.50", plain.atFailure().reservedBytes())
          .gib("allocated then", "12.01", plain.atFailure().allocatedBytes())
          .gib("free on the device at that moment", "1.00", plain.atFailure().deviceFreeBytes());
    }
    findings
        .holds("with empty_cache() just before, they fail too", !outcomes.of(JUST_BEFORE).passes())
        .holds("with empty_cache() between the phases, they pass", after.passes())
        .gib("reserved then", "14.01", after.end().reservedBytes());
    for (int limit : new int[] {128, 256, 512}) {
      Outcome limited = outcomes.of("max_split_size_mb:" + limit);
      findings
          .holds("they pass with max_split_size_mb:" + limit, limited.passes())
          .count("cudaFree calls then", 27, limited.calls(DriverCall.FREE));
    }
    return findings
        .holds(
            "they fail with max_split_size_mb:1024",
            !outcomes.of("max_split_size_mb:1024").passes())
        .holds("they pass with expandable segments", expandable.passes())
        .gib("reserved then", "14.51", expandable.peakReservedBytes())
        .conclude(
            "All {} of cached memory is in partly used segments, which cannot be released;"
                + " empty_cache() right before the request finds nothing to release, between the"
                + " phases it does.",
            plain.end().slackBytes());
  }
}
