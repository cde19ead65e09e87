package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start loads the libraries of SVG and PDF only where they draw. */
final class ChartLibrariesTest {
  private static final String BATIK = " org.apache.batik.";
  private static final String PDFBOX = " org.apache.pdfbox.";

  @TempDir private Path folder;

  /** The JVM's lines about classes that a replay loads. */
  private String loaded(String... options) throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xlog:class+load", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "replay"));
    command.add(CommandRun.recording("two_gpu.pickle.xz").toString());
    command.addAll(List.of(options));
    Process replay =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertEquals(0, replay.waitFor(), () -> log.toUri() + " says why");
    return Files.readString(log);
  }

  private String chart(String extension) throws IOException, InterruptedException {
    return loaded("--chart", folder.resolve("chart." + extension).toString());
  }

  @Test
  void aReplayWithoutChartsLoadsNone() throws Exception {
    String classes = loaded();
    assertTrue(
        classes.contains(" org.allocsim.reports.cli.diagnose.ReplayCommand "),
        "classes are logged");
    assertFalse(classes.contains(BATIK) || classes.contains(PDFBOX));
  }

  @Test
  void eachFormatLoadsItsOwnOnly() throws Exception {
    String png = chart("png");
    assertFalse(png.contains(BATIK) || png.contains(PDFBOX));
    String svg = chart("svg");
    assertTrue(svg.contains(BATIK));
    assertFalse(svg.contains(PDFBOX));
    String pdf = chart("pdf");
    assertTrue(pdf.contains(PDFBOX));
    assertFalse(pdf.contains(BATIK));
  }
}
