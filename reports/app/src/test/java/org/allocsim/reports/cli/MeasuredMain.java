package org.allocsim.reports.cli;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The command line, which at its end writes what the operating system says of its process: the
 * first argument names the file.
 */
public final class MeasuredMain {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String PEAK = "VmHWM:";

  private MeasuredMain() {}

  /**
   * What a process took.
   *
   * @param cpuNanos processor time of all its threads
   * @param peakBytes most memory that was resident; 0 where the system does not say
   */
  record Cost(long cpuNanos, long peakBytes) {
    static Cost read(Path file) throws IOException {
      List<String> lines = Files.readAllLines(file);
      return new Cost(Long.parseLong(lines.get(0)), Long.parseLong(lines.get(1)));
    }
  }

  /** Runs the command line. */
  public static void main(String[] arguments) {
    Path file = Path.of(arguments[0]);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file)));
    Main.main(Arrays.copyOfRange(arguments, 1, arguments.length));
  }

  private static void write(Path file) {
    try {
      long cpuNanos =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
      Files.writeString(file, cpuNanos + "\n" + peakBytes() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long peakBytes() throws IOException {
    if (!Files.isReadable(STATUS)) {
      return 0;
    }
    return Files.readAllLines(STATUS).stream()
        .filter(line -> line.startsWith(PEAK))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .findFirst()
        .orElse(0);
  }
}
