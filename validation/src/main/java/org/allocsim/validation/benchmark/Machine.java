package org.allocsim.validation.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * What speed depends on. It names neither the machine nor the time.
 *
 * @param cpu model of the processor
 * @param cores how many of its cores the process may use
 * @param system operating system and instruction set
 * @param jdk version of the Java run-time
 */
public record Machine(String cpu, int cores, String system, String jdk) {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final List<String> MODEL_KEYS = List.of("model name", "Model", "cpu model");

  /** All of it is known. */
  public Machine {
    Objects.requireNonNull(cpu, "cpu");
    Objects.requireNonNull(system, "system");
    Objects.requireNonNull(jdk, "jdk");
  }

  /** This machine. */
  public static Machine here() {
    return new Machine(
        cpuModel(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"),
        System.getProperty("java.vendor.version", System.getProperty("java.vendor", ""))
            + " "
            + Runtime.version());
  }

  /** Whether figures of two machines can be compared. */
  public boolean isLike(Machine other) {
    return cpu.equals(other.cpu) && cores == other.cores && system.equals(other.system);
  }

  private static String cpuModel() {
    try {
      for (String key : MODEL_KEYS) {
        for (String line : Files.readAllLines(CPU_INFO)) {
          int colon = line.indexOf(':');
          if (colon > 0 && line.substring(0, colon).strip().equals(key)) {
            return line.substring(colon + 1).strip();
          }
        }
      }
    } catch (IOException _) {
      // Only Linux has the file.
    }
    return "unknown (" + System.getProperty("os.arch") + ")";
  }
}
