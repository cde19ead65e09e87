package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The one jar under {@code spark-submit}, in an installation of Spark that has nothing of allocsim:
 * two executors of their own get the program from the jar.
 */
final class SparkSubmitIT {
  /** Beginnings of the names of jars that an installation of Spark does not have. */
  private static final List<String> NOT_OF_SPARK =
      List.of(
          "allocsim",
          "apiguardian",
          "fastcsv",
          "jackson-core-3",
          "jcuda",
          "jfreechart",
          "jline",
          "jmh",
          "jopt",
          "jspecify",
          "junit",
          "opentest4j",
          "org.jfree",
          "picocli",
          "progressbar",
          "surefire");

  @TempDir private Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void theOneJarRunsUnderSparkSubmit() throws Exception {
    Path jar = Path.of(System.getProperty("allocsim.spark.jar"));
    Path traces = folder.resolve("traces");
    SweptRows.writeTraces(traces, 30);
    Path local = folder.resolve("local");
    String settings = "recorded;expandable_segments:True";
    SweptRows.sweep("sweep", traces, "-o", local, "--confs", settings, "--capacities", "256MiB");

    Path out = folder.resolve("out");
    String said =
        submit(
            "--master",
            "local-cluster[2,1,1024]",
            "--conf",
            "spark.executor.memory=512m",
            "--conf",
            "spark.ui.enabled=false",
            jar.toString(),
            "sweep",
            traces.toUri().toString(),
            "-o",
            out.toUri().toString(),
            "--confs",
            settings,
            "--capacities",
            "256MiB",
            "--engine",
            "spark");
    assertTrue(said.contains("31 traces, 60 runs: "), said);

    List<SweepRow> expected = SweptRows.read(local);
    List<SweepRow> actual = SweptRows.read(out);
    assertEquals(61, expected.size());
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      for (SweepColumn column : SweepColumn.all()) {
        Object value = expected.get(i).get(column);
        if (column.isReproducible()) {
          // The file is named in two columns, as it was given.
          assertEquals(
              value instanceof String text
                  ? text.replace(traces + "/", traces.toUri() + "")
                  : value,
              actual.get(i).get(column),
              column.label());
        }
      }
    }
    try (Stream<Path> files = Files.walk(out)) {
      assertTrue(files.noneMatch(file -> file.toString().endsWith(".crc")));
    }
  }

  /** Does what {@code bin/spark-submit} does: has a command made for its arguments, and runs it. */
  private String submit(String... arguments) throws IOException, InterruptedException {
    SparkHome home =
        SparkHome.of(
            folder.resolve("spark"), name -> NOT_OF_SPARK.stream().noneMatch(name::startsWith));
    List<String> launched = new ArrayList<>(List.of("org.apache.spark.deploy.SparkSubmit"));
    launched.addAll(List.of(arguments));
    Process launcher =
        home.java(List.of("-Xmx128m"), "org.apache.spark.launcher.Main", launched)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String command =
        new String(launcher.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertEquals(0, launcher.waitFor(), command);
    List<String> words =
        Stream.of(command.split("\0")).map(String::strip).filter(word -> !word.isEmpty()).toList();
    Path log = folder.resolve("submit.log");
    Process submit = home.inside(words).redirectError(log.toFile()).start();
    String said = new String(submit.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, submit.waitFor(), () -> said + read(log));
    return said;
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
