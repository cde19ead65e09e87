package org.allocsim.licences;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Archives of {@code allocsim bundle}: what they hold, and what they say of what they lack. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
final class BundleIT {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @TempDir private Path folder;

  private enum Wing {
    FLEET("sweep", "fleet-report"),
    IDLE("idle"),
    GPU("validate", "calibrate"),
    SERVING("serve"),
    SUITE("suite");

    private final List<String> commands;

    Wing(String... commands) {
      this.commands = List.of(commands);
    }
  }

  private record Run(int exitCode, String output) {}

  private Run run(Object... command) throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(List.of(command).stream().map(String::valueOf).toList());
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    int exitCode =
        builder.redirectErrorStream(true).redirectOutput(output.toFile()).start().waitFor();
    return new Run(exitCode, Files.readString(output));
  }

  private Path bundle(String... parts) throws IOException, InterruptedException {
    Path archive = folder.resolve("allocsim.tgz");
    List<Object> command = new ArrayList<>();
    command.add(ROOT.resolve("validation/bundle.sh"));
    command.add(ROOT.resolve("reports/app/target/app"));
    command.add(System.getProperty("java.home"));
    command.add(archive);
    command.addAll(List.of(parts));
    Run made = run(command.toArray());
    assertEquals(0, made.exitCode(), made.output());
    assertEquals(0, run("tar", "-C", folder, "-xzf", archive).exitCode());
    return folder.resolve("allocsim");
  }

  @Test
  void anArchiveHoldsLicencesAndNoOptionalPart() throws Exception {
    Path unpacked = bundle();
    for (String file : List.of("NOTICE", "LICENSE")) {
      assertEquals(-1, Files.mismatch(ROOT.resolve(file), unpacked.resolve(file)));
    }
    assertEquals(
        -1,
        Files.mismatch(
            ROOT.resolve("build/licences/texts/LGPL-2.1.txt"),
            unpacked.resolve("licences/LGPL-2.1.txt")));
    assertTrue(Files.isDirectory(unpacked.resolve("runtime/legal")));
    assertFalse(Files.exists(unpacked.resolve("parts")));

    Run bench = run(unpacked.resolve("allocsim"), "bench", "--quick");
    assertEquals(1, bench.exitCode());
    assertEquals(
        "allocsim: bench is not part of this installation; use './allocsim bench' in a checkout, or"
            + " bundle it with './allocsim bundle ARCHIVE.tgz --with bench'\n",
        bench.output());
    Path sample = ROOT.resolve("reports/samples/gpt_oom.pickle.xz");
    for (String format : List.of("png", "svg", "pdf")) {
      Path chart = folder.resolve("memory." + format);
      Run drawn = run(unpacked.resolve("allocsim"), "replay", sample, "--chart", chart);
      assertEquals(0, drawn.exitCode(), drawn.output());
      assertTrue(Files.size(chart) > 5_000, format);
    }
  }

  @Test
  void anArchiveHasAllWingsAndAnswersWithoutThem() throws Exception {
    Path unpacked = bundle();
    Path allocsim = unpacked.resolve("allocsim");
    Path sample = ROOT.resolve("reports/samples/gpt_oom.pickle.xz");
    Map<String, String> answers = new LinkedHashMap<>();
    for (String command : List.of("diagnose", "replay", "peak")) {
      Run answered = run(allocsim, command, sample);
      // 3 is an answer too: memory did not suffice.
      assertEquals(command.equals("diagnose") ? 3 : 0, answered.exitCode(), answered.output());
      answers.put(command, answered.output());
    }
    String all = run(allocsim, "--help").output();
    for (Wing wing : Wing.values()) {
      for (String command : wing.commands) {
        assertTrue(all.contains("\n  " + command + " "), all);
        assertEquals(0, run(allocsim, command, "--help").exitCode(), command);
      }
      try (Stream<Path> jars = Files.list(unpacked.resolve("lib"))) {
        String start = "allocsim-%s-".formatted(wing.name().toLowerCase(Locale.ROOT));
        List<Path> own =
            jars.filter(each -> each.getFileName().toString().startsWith(start)).toList();
        assertEquals(1, own.size(), start);
        Files.delete(own.getFirst());
      }
      for (String command : wing.commands) {
        Run missing = run(allocsim, command);
        assertEquals(2, missing.exitCode(), missing.output());
        assertEquals(
            ("allocsim: %1$s is not part of this installation; use './allocsim %1$s' in a checkout,"
                    + " or bundle all commands with './allocsim bundle ARCHIVE.tgz'\n")
                .formatted(command),
            missing.output());
      }
    }
    for (Map.Entry<String, String> answer : answers.entrySet()) {
      assertEquals(answer.getValue(), run(allocsim, answer.getKey(), sample).output());
    }
  }

  @Test
  void answersArePrintedWhereTheSystemHasNoFonts() throws Exception {
    Path allocsim = bundle().resolve("allocsim");
    Path empty = Files.createDirectory(folder.resolve("fonts"));
    Path fonts =
        Files.writeString(
            folder.resolve("fonts.conf"),
            "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">"
                + "<fontconfig><dir>%s</dir></fontconfig>".formatted(empty));
    Path sample = ROOT.resolve("reports/samples/gpt_oom.pickle.xz");
    Path trials = ROOT.resolve("reports/src/test/resources/advice/trials.json");
    for (List<Object> command :
        List.<List<Object>>of(
            List.of("advise", trials),
            List.of("compare", sample),
            List.of("diagnose", sample),
            List.of("leaks", sample),
            List.of("min-capacity", sample),
            List.of("replay", sample),
            List.of("colocate", sample, sample),
            List.of("tune", sample))) {
      for (List<Object> outputs :
          List.<List<Object>>of(
              List.of(), List.of("--report", folder.resolve("report-" + command.getFirst())))) {
        // Java keeps what it found of fonts in the user's home.
        List<Object> all =
            new ArrayList<>(
                List.of(
                    "env",
                    "FONTCONFIG_FILE=" + fonts,
                    "ALLOCSIM_JAVA_OPTS=-Duser.home=" + empty,
                    allocsim));
        all.addAll(command);
        all.addAll(outputs);
        Run answered = run(all.toArray());
        // 0 and 3 are answers: 3 says that memory does not suffice.
        assertTrue(Set.of(0, 3).contains(answered.exitCode()), command + answered.output());
        assertEquals(
            !outputs.isEmpty(),
            answered.output().contains("No charts were drawn"),
            command + answered.output());
      }
    }
  }

  @Test
  void theSameFilesGiveTheSameArchive() throws Exception {
    bundle();
    Path first = Files.move(folder.resolve("allocsim.tgz"), folder.resolve("first.tgz"));
    // Times of files count in seconds; zip's in two.
    Thread.sleep(2_100);
    bundle();
    assertEquals(-1, Files.mismatch(first, folder.resolve("allocsim.tgz")));
  }

  @Test
  void partsThatAreAskedForWork() throws Exception {
    Path unpacked =
        bundle(
            "bench=" + ROOT.resolve("validation/benchmarks/target/part"),
            "parquet=" + ROOT.resolve("reports/parquet/target/part"));
    Run bench = run(unpacked.resolve("allocsim"), "bench", "--quick", "--only", "read");
    assertEquals(0, bench.exitCode(), bench.output());
    assertTrue(bench.output().contains("reading sample"), bench.output());
    Path trace = folder.resolve("a.jsonl");
    Files.writeString(
        trace,
        """
        {"allocsim":"trace","version":1}
        {"op":"alloc","id":0,"bytes":4096}
        """);
    Run sweep = run(unpacked.resolve("allocsim"), "sweep", trace, "-o", folder.resolve("out"));
    assertEquals(0, sweep.exitCode(), sweep.output());
    assertTrue(Files.exists(folder.resolve("out/rows.parquet")), sweep.output());
  }
}
