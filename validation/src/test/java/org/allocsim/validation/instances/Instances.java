package org.allocsim.validation.instances;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.minimalloc.MiniMallocFormat;

/**
 * Public sets of lifetimes, which are not ours to ship, by name: {@code A} to {@code K}
 * (benchmarks/challenging) and {@code example} (benchmarks/examples) of google/minimalloc, {@code
 * G_1} and {@code resnet50} of cappadokes/idealloc (benchmarks), each as NAME.csv in the folder
 * that the property {@code allocsim.instances} names.
 */
final class Instances {
  private Instances() {}

  /** The requests of an instance; the test is skipped where it is not at hand. */
  static AllocationTrace trace(String name) throws TraceFormatException {
    String folder = System.getProperty("allocsim.instances", "");
    assumeTrue(!folder.isEmpty(), "not run: -Dallocsim.instances=FOLDER names no folder");
    Path file = Path.of(folder, name + ".csv");
    assumeTrue(Files.exists(file), () -> "not run: needs " + file);
    return new MiniMallocFormat().read(file, Progress.NONE).trace();
  }
}
