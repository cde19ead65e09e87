import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.benchmarks.suite.BlocksBenchmark;
import org.allocsim.benchmarks.suite.DeviceBenchmark;
import org.allocsim.benchmarks.suite.PassCounts;
import org.allocsim.benchmarks.suite.ReplayBenchmark;

/**
 * Counts what the processor does for an event of PyTorch's allocator, or for a driver call on a
 * simulated device, with Linux {@code perf}: what a clock shows depends on the machine and its load,
 * instructions hardly.
 *
 * <pre>
 * java @simulator/src/main/resources/org/allocsim/simulator/jvm.options \\
 *   -cp 'APP/lib/*' Counters.java OUT.json SNAPSHOT...
 * </pre>
 *
 * APP is the folder of the built application. After as many passes as the compiler needs, {@code
 * perf stat} watches the replaying thread for some seconds.
 */
final class Counters {
  private static final List<String> COUNTERS =
      List.of("instructions", "cycles", "branches", "branch-misses");
  private static final long WARM_UP_NANOS = 3_000_000_000L;
  private static final long MEASURED_NANOS = 1_500_000_000L;
  private static final int MANY_BLOCKS = 1_000_000;
  private static final int MANY_DEVICE_BLOCKS = 100_000;

  private Counters() {}

  private interface Pass {
    void run(PassCounts counts) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    List<String> rows = new ArrayList<>();
    for (int i = 1; i < args.length; i++) {
      for (String options : new String[] {"", "conf=expandable_segments:True"}) {
        ReplayBenchmark replay = new ReplayBenchmark();
        replay.trace = args[i];
        replay.policy = "pytorch";
        replay.options = options;
        replay.prepare();
        String name = Path.of(args[i]).getFileName().toString().replaceAll("\\..*", "");
        rows.add(row("replay of " + name + (options.isEmpty() ? "" : ", " + options.substring(5)), replay::steady));
      }
    }
    for (String conf : new String[] {"", "expandable_segments:True"}) {
      for (BlocksBenchmark.Sizes sizes : BlocksBenchmark.Sizes.values()) {
        for (int blocks = 100; blocks <= MANY_BLOCKS; blocks *= 10) {
          BlocksBenchmark benchmark = new BlocksBenchmark();
          benchmark.blocks = blocks;
          benchmark.sizes = sizes;
          benchmark.conf = conf;
          benchmark.prepare();
          rows.add(row(blocks + " live and free blocks, " + sizes + (conf.isEmpty() ? "" : ", " + conf), benchmark::allocateAndFree));
        }
      }
    }
    for (DeviceBenchmark.Layout layout : DeviceBenchmark.Layout.values()) {
      for (int blocks = 100; blocks <= MANY_DEVICE_BLOCKS; blocks *= 10) {
        DeviceBenchmark benchmark = new DeviceBenchmark();
        benchmark.blocks = blocks;
        benchmark.layout = layout;
        benchmark.prepare();
        rows.add(row("device with " + blocks + " blocks, " + layout, benchmark::takeAndGiveBack));
      }
    }
    String json = "{\n  \"schema\": \"allocsim-counters-1\",\n  \"cpu\": \"" + cpu() + "\",\n  \"jdk\": \""
        + Runtime.version() + "\",\n  \"rows\": [\n" + String.join(",\n", rows) + "\n  ]\n}\n";
    Files.writeString(Path.of(args[0]), json);
  }

  private static String row(String what, Pass pass) throws Exception {
    repeat(pass, WARM_UP_NANOS, new PassCounts());
    String thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
    Process perf =
        new ProcessBuilder("perf", "stat", "-x,", "-e", String.join(":u,", COUNTERS) + ":u", "-t", thread)
            .redirectErrorStream(true)
            .start();
    Thread.sleep(300);
    PassCounts counts = new PassCounts();
    repeat(pass, MEASURED_NANOS, counts);
    new ProcessBuilder("kill", "-INT", Long.toString(perf.pid())).start().waitFor();
    String text = new String(perf.getInputStream().readAllBytes());
    StringBuilder row = new StringBuilder("    {\"what\": \"" + what + "\"");
    for (String counter : COUNTERS) {
      row.append(String.format(Locale.ROOT, ", \"%s\": %.2f", counter, value(text, counter) / counts.events));
    }
    System.err.println(row);
    return row.append('}').toString();
  }

  private static void repeat(Pass pass, long nanos, PassCounts counts) throws Exception {
    long end = System.nanoTime() + nanos;
    do {
      pass.run(counts);
    } while (System.nanoTime() < end);
  }

  private static double value(String text, String counter) {
    for (String line : text.split("\n")) {
      String[] fields = line.split(",");
      if (fields.length > 2 && fields[2].equals(counter + ":u") && fields[0].matches("\\d+")) {
        return Double.parseDouble(fields[0]);
      }
    }
    return Double.NaN;
  }

  private static String cpu() throws IOException {
    return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
        .filter(line -> line.startsWith("model name"))
        .findFirst()
        .map(line -> line.substring(line.indexOf(':') + 2))
        .orElse("");
  }
}
