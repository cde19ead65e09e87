package org.allocsim.workloads.program;

import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.transform.Perturbation;

/**
 * A synthetic program by its seed: mostly random requests, three of twenty training, the same with
 * small changes, and inference; all but the random ones are programs of the catalog.
 *
 * @param name what it is, with the seed
 * @param trace its requests
 * @param limitBytes limit to run it under, so that requests fail or memory is released for them; −1
 *     for none
 */
public record SyntheticProgram(String name, AllocationTrace trace, long limitBytes) {
  private static final long PAGE_BYTES = 2L << 20;

  /** The program of a seed; the same seed makes the same one. */
  public static SyntheticProgram of(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return switch ((int) Math.floorMod(seed, 20L)) {
      case 0 -> limited("training-" + seed, training(random), random);
      case 5 -> {
        Perturbation changes = new Perturbation(true, 0.1, Perturbation.Resize.REQUEST);
        AllocationTrace changed = changes.apply(training(random), 0, random.nextLong());
        yield limited("perturbed-training-" + seed, changed, random);
      }
      case 10 -> limited("serving-" + seed, serving(random), random);
      default -> {
        int events = random.nextInt(20) == 0 ? 10_000 : random.nextInt(200, 2_000);
        yield limited(
            "random-" + seed, new RandomProgram(random.nextLong(), events).trace(), random);
      }
    };
  }

  /** A small model, so that many such programs fit on one GPU. */
  private static AllocationTrace training(SplittableRandom random) {
    return Programs.generate(
        "gpt",
        Map.of(
            "iterations", number(random, 2, 5),
            "layers", number(random, 1, 4),
            "width", "256",
            "heads", "4",
            "positions", "512",
            "longest", number(random, 64, 512),
            "batch", number(random, 1, 5),
            "fused", flag(random),
            "checkpoint", flag(random),
            "set-to-none", flag(random)),
        random.nextInt(1 << 30));
  }

  private static AllocationTrace serving(SplittableRandom random) {
    return Programs.generate(
        "llama-generate",
        Map.of(
            "prompts",
            number(random, 1, 4),
            "most-batch",
            number(random, 1, 6),
            "longest",
            number(random, 20, 300),
            "new-tokens",
            number(random, 5, 40),
            "layers",
            "2",
            "width",
            "256",
            "heads",
            "4",
            "inner",
            "704"),
        random.nextInt(1 << 30));
  }

  private static String number(SplittableRandom random, int least, int bound) {
    return Integer.toString(random.nextInt(least, bound));
  }

  private static String flag(SplittableRandom random) {
    return Boolean.toString(random.nextBoolean());
  }

  /** Half the programs get a limit somewhere around what they hold at most. */
  private static SyntheticProgram limited(
      String name, AllocationTrace trace, SplittableRandom random) {
    if (random.nextBoolean()) {
      return new SyntheticProgram(name, trace, -1);
    }
    double share = random.nextDouble(0.5, 1.3);
    long bytes = Math.max(12 * PAGE_BYTES, (long) (peakBytes(trace) * share));
    // Some limits are no whole number of pages.
    return new SyntheticProgram(
        name, trace, random.nextInt(4) == 0 ? bytes : bytes / PAGE_BYTES * PAGE_BYTES);
  }

  private static long peakBytes(AllocationTrace trace) {
    long[] bytes = new long[trace.allocationCount()];
    long live = 0;
    long peak = 0;
    for (int event = 0; event < trace.eventCount(); event++) {
      int allocation = trace.allocation(event);
      switch (trace.kind(event)) {
        case ALLOCATE -> {
          bytes[allocation] = trace.bytes(event);
          live += trace.bytes(event);
        }
        case FREE -> live -= bytes[allocation];
        default -> {}
      }
      peak = Math.max(peak, live);
    }
    return peak;
  }
}
