package org.allocsim.workloads.program;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.service.Services;
import org.allocsim.simulator.trace.AllocationTrace;

/** The programs that are known. */
public final class Programs {
  private static final Services<ProgramProvider> KNOWN =
      new Services<>(ProgramProvider.class, ProgramProvider::id);

  private Programs() {}

  /** All programs by name. */
  public static List<ProgramProvider> all() {
    return KNOWN.all();
  }

  /** The program of this name. */
  public static Optional<ProgramProvider> find(String id) {
    return KNOWN.named(id);
  }

  /**
   * What a program asks of its allocators.
   *
   * @throws ProgramOptionException for an unknown program or values that make none
   */
  public static AllocationTrace generate(String id, Map<String, String> options, long seed) {
    ProgramProvider program =
        find(id)
            .orElseThrow(() ->
                new ProgramOptionException(
                    "there is no program %s; there are %s"
                        .formatted(
                            id,
                            String.join(", ", all().stream().map(ProgramProvider::id).toList()))));
    if (seed < 0) {
      throw new ProgramOptionException("seed " + seed + " is negative; seeds begin at 0");
    }
    return program.generate(new ProgramValues(id, program.options(), options), seed);
  }
}
