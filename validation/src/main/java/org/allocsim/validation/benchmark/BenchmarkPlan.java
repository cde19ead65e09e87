package org.allocsim.validation.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What to measure, and how long.
 *
 * @param subjects what is measured
 * @param programs what is replayed: programs, or paths of traces
 * @param snapshots what is read: {@link #SAMPLE}, or paths of snapshots
 * @param policies what {@link Subject#POLICIES} replays with
 * @param effort how long
 */
public record BenchmarkPlan(
    Set<Subject> subjects,
    List<String> programs,
    List<String> snapshots,
    List<PolicyCase> policies,
    Effort effort) {
  /** GPT-2 training, batches of changing length: 14 085 allocations, as in {@code gpt_varlen}. */
  public static final String GPT = "gpt";

  /** Llama generation with a growing cache: 81 117 allocations, as in {@code llama_generate}. */
  public static final String LLAMA = "llama-generate";

  /** The snapshot that ships with the benchmarks. */
  public static final String SAMPLE = "sample";

  /** Parts of allocsim whose speed can be measured. */
  public enum Subject {
    /** PyTorch's allocator with all statistics, native and with expandable segments. */
    REPLAY,
    /** Snapshots of every compression. */
    READ,
    /** Simulation in time. */
    TIME,
    /** Every policy that is asked for. */
    POLICIES,
    /**
     * PyTorch's allocator with 10^2 to 10^6 live and as many free blocks, and driver calls on
     * devices with 10^2 to 10^5 blocks.
     */
    BLOCKS,
    /** Whole commands on a recording of two million events, which is made for it. */
    COMMANDS
  }

  /**
   * How long each benchmark is measured.
   *
   * @param runs processes, each with its own compilation, one after the other for all benchmarks
   * @param warmUps samples of each that are dropped
   * @param samples samples of each that are kept
   * @param sampleMillis minimum length of a sample
   */
  public record Effort(int runs, int warmUps, int samples, int sampleMillis) {
    /**
     * Two processes for each benchmark, each with three seconds in which the compiler ends its
     * work: the usual benchmarks take two minutes.
     */
    public static final Effort USUAL = new Effort(2, 20, 5, 150);

    /** A {@link ReplayInTurns}'s: a sample whenever one is asked for, of a fifth of a second. */
    public static final Effort IN_TURNS = new Effort(1, 15, 1, 200);

    /** Hardly any: shows that benchmarks work, not how fast. */
    public static final Effort LEAST = new Effort(1, 0, 1, 1);
  }

  /** Keeps its own copies. */
  public BenchmarkPlan {
    subjects = Set.copyOf(subjects);
    programs = List.copyOf(programs);
    snapshots = List.copyOf(snapshots);
    policies = List.copyOf(policies);
  }

  /** Replay, reading and time on what ships. */
  public static BenchmarkPlan usual() {
    return new BenchmarkPlan(
        Set.of(Subject.REPLAY, Subject.READ, Subject.TIME),
        List.of(GPT, LLAMA),
        List.of(SAMPLE),
        List.of(),
        Effort.USUAL);
  }

  /** PyTorch's allocator as it is by default and with expandable segments. */
  public static List<PolicyCase> pytorch() {
    List<PolicyCase> cases = new ArrayList<>();
    cases.add(new PolicyCase("pytorch", Map.of()));
    cases.add(new PolicyCase("pytorch", Map.of("conf", "expandable_segments:True")));
    return cases;
  }
}
