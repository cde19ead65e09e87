package org.allocsim.reports.fuzz;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets Jazzer look for inputs that make a target fail, one target after the other, each in a
 * process of its own with the heap that reading is promised to do with. What it keeps stands in
 * {@code FOLDER/corpus}, what failed in {@code FOLDER/findings}.
 */
public final class FuzzSession {
  private static final Path COMMITTED = Path.of("app/src/test/resources/fuzz");
  private static final String TOGETHER = "together";
  private static final Pattern RUNS = Pattern.compile("Done ([0-9]+) runs");
  private static final Pattern COVERAGE = Pattern.compile(" cov: ([0-9]+)");

  private FuzzSession() {}

  /**
   * Runs a session; ends with 1 where an input failed.
   *
   * @param arguments ids of targets separated by commas, {@code each}, or {@code together} for all
   *     targets in one process; seconds for each process; seed; folder for what is found
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path folder = Path.of(arguments[3]).toAbsolutePath();
    List<String> ids =
        arguments[0].equals("each")
            ? Arrays.stream(FuzzTarget.values()).map(FuzzTarget::id).toList()
            : List.of(arguments[0].split(","));
    int failed = 0;
    for (String id : ids) {
      boolean isDone =
          id.equals(TOGETHER)
              ? run(id, List.of(), together(folder), arguments, folder)
              : run(
                  id,
                  List.of("-Dallocsim.fuzz.target=" + FuzzTarget.of(id).id()),
                  COMMITTED.resolve(id),
                  arguments,
                  folder);
      failed += isDone ? 0 : 1;
    }
    if (failed > 0) {
      System.out.println("fuzz: the inputs that failed are in " + folder.resolve("findings"));
      System.exit(1);
    }
  }

  /** The committed inputs of all targets, each behind the byte that chooses its target. */
  private static Path together(Path folder) throws IOException {
    Path seeds = Files.createDirectories(folder.resolve("seeds"));
    for (FuzzTarget target : FuzzTarget.values()) {
      try (DirectoryStream<Path> inputs =
          Files.newDirectoryStream(COMMITTED.resolve(target.id()))) {
        for (Path input : inputs) {
          byte[] bytes = Files.readAllBytes(input);
          byte[] chosen = new byte[bytes.length + 1];
          chosen[0] = (byte) target.ordinal();
          System.arraycopy(bytes, 0, chosen, 1, bytes.length);
          Files.write(seeds.resolve(target.id() + "-" + input.getFileName()), chosen);
        }
      }
    }
    return seeds;
  }

  private static boolean run(
      String id, List<String> options, Path seeds, String[] arguments, Path folder)
      throws IOException, InterruptedException {
    Path corpus = Files.createDirectories(folder.resolve("corpus").resolve(id));
    Path findings = Files.createDirectories(folder.resolve("findings").resolve(id));
    Path log = folder.resolve(id + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:-OmitStackTraceInFastThrow",
            "-XX:+EnableDynamicAgentLoading",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-classpath",
            System.getProperty("java.class.path"),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + FuzzEntry.class.getName(),
            "--instrumentation_includes=org.allocsim.**",
            "--reproducer_path=" + findings,
            "-artifact_prefix=" + findings + File.separator,
            "-max_total_time=" + arguments[1],
            "-seed=" + arguments[2],
            "-timeout=60",
            "-rss_limit_mb=2048",
            "-max_len=20000",
            corpus.toString(),
            seeds.toString()));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    boolean isDone = process.waitFor() == 0;
    String text = Files.readString(log);
    System.out.printf(
        "fuzz: %-16s %9s inputs, coverage %5s%s%n",
        id, last(RUNS, text), last(COVERAGE, text), isDone ? "" : ", FAILED, see " + log);
    return isDone;
  }

  private static String last(Pattern pattern, String text) {
    String found = "?";
    for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
      found = matcher.group(1);
    }
    return found;
  }
}
