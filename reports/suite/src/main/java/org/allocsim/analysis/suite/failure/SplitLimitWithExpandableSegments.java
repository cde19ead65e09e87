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
import org.allocsim.simulator.trace.AllocationTrace;

/** Two settings that are harmless alone and grow without bound together. */
public final class SplitLimitWithExpandableSegments implements SuiteScenario {
  private static final String SPLIT = "max_split_size_mb:128";
  private static final String EXPANDABLE = "expandable_segments:True";
  private static final String BOTH = SPLIT + "," + EXPANDABLE;
  private static final String WITHOUT_SURVIVOR = "both, without the 2 MiB that stay";
  private static final int CYCLES = 100;

  /** Reserved memory after every twentieth cycle, as published. */
  private static final int[] PUBLISHED_MIB = {220, 2980, 5760, 8520, 11_300, 14_060};

  @Override
  public Topic topic() {
    return new Topic(
        "split-limit-with-expandable-segments",
        Kind.FAILURE,
        "split limit and expandable segments poison each other",
        "pytorch/pytorch#193400, pytorch/pytorch#123548",
        "A canary of 64 MiB stays. In each of 101 cycles 91 MiB and 45.5 MiB are allocated, then"
            + " 2 MiB that stay, and the first two are freed. Before: both settings; after:"
            + " expandable segments alone.");
  }

  @Override
  public List<Variant> variants() {
    Variant both = Variant.of("both", cycles(true)).capacity(16 * GIB);
    return List.of(
        both.under(BOTH),
        both.under(EXPANDABLE),
        both.under(SPLIT),
        both.running(cycles(false)).under(BOTH).named(WITHOUT_SURVIVOR));
  }

  /** The program, in which 2 MiB of each cycle stay or not. */
  public static AllocationTrace cycles(boolean someStay) {
    Requests program = new Requests();
    program.allocate(64 * MIB);
    for (int cycle = 0; cycle <= CYCLES; cycle++) {
      int a = program.allocate(91 * MIB);
      int b = program.allocate(91 * MIB / 2);
      if (someStay) {
        program.allocate(2 * MIB);
      }
      program.free(a);
      program.free(b);
      program.mark("cycle " + cycle);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome both, Outcome after, Outcomes outcomes) {
    Findings.Builder findings =
        Findings.ofFailure()
            .shows(Findings.reserved(both), Findings.reserved(after))
            .bytes("allocated after cycle 0", 66 * MIB, both.at("cycle 0").allocatedBytes())
            .bytes("allocated after cycle 100", 266 * MIB, both.at("cycle 100").allocatedBytes());
    for (int i = 0; i < PUBLISHED_MIB.length; i++) {
      String marker = "cycle " + CYCLES / (PUBLISHED_MIB.length - 1) * i;
      findings.bytes(
          "reserved after " + marker, PUBLISHED_MIB[i] * MIB, both.at(marker).reservedBytes());
    }
    for (String label : List.of(EXPANDABLE, SPLIT, WITHOUT_SURVIVOR)) {
      findings.holds(
          "below 500 MiB with " + label, outcomes.of(label).peakReservedBytes() < 500 * MIB);
    }
    return findings.conclude(
        "In each cycle the 2 MiB that stay hold a range of pages open that the split limit does"
            + " not allow to split, so 101 cycles with {} live reserve {}; expandable segments"
            + " alone reserve {}, the split limit alone {}.",
        both.at("cycle 100").allocatedBytes(),
        both.peakReservedBytes(),
        after.peakReservedBytes(),
        outcomes.of(SPLIT).peakReservedBytes());
  }
}
