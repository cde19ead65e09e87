package org.allocsim.licences;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The Python package: its own tests, and its wheel where there is no Java. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
final class WheelIT {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path PACKAGE = ROOT.resolve("workloads/python");
  private static final Path SAMPLE = ROOT.resolve("reports/samples/gpt_oom.pickle.xz");
  private static final List<String> RELEASES = List.of("3.10", "3.11", "3.12", "3.13");

  @TempDir private Path folder;

  private String run(Map<String, String> environment, Object... command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", "");
    ProcessBuilder builder = new ProcessBuilder(Stream.of(command).map(String::valueOf).toList());
    builder.environment().clear();
    builder.environment().putAll(Map.of("PATH", "/usr/bin:/bin", "HOME", folder.toString()));
    builder.environment().putAll(environment);
    int exitCode =
        builder.redirectErrorStream(true).redirectOutput(output.toFile()).start().waitFor();
    String printed = Files.readString(output);
    assertEquals(0, exitCode, printed);
    return printed;
  }

  /** The Pythons of this machine, one for each release. */
  private static List<Path> pythons() throws IOException {
    List<Path> folders = new ArrayList<>();
    for (String each : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      folders.add(Path.of(each));
    }
    Path versions = Path.of(System.getProperty("user.home"), ".pyenv/versions");
    if (Files.isDirectory(versions)) {
      try (Stream<Path> found = Files.list(versions)) {
        found.sorted().map(each -> each.resolve("bin")).forEach(folders::add);
      }
    }
    List<Path> pythons = new ArrayList<>();
    for (String release : RELEASES) {
      folders.stream()
          .map(each -> each.resolve("python" + release))
          .filter(each -> Files.isExecutable(each) && !each.toString().contains("shims"))
          .findFirst()
          .ifPresent(pythons::add);
    }
    assumeFalse(pythons.isEmpty(), "no Python of 3.10 to 3.13 is installed, so it is not tested");
    return pythons;
  }

  private Path bundle() throws IOException, InterruptedException {
    Path archive = folder.resolve("allocsim.tgz");
    run(
        Map.of(),
        ROOT.resolve("validation/bundle.sh"),
        ROOT.resolve("reports/app/target/app"),
        System.getProperty("java.home"),
        archive);
    return archive;
  }

  private Path wheel(Path python, Path bundle, String name)
      throws IOException, InterruptedException {
    Path into = Files.createDirectory(folder.resolve(name));
    run(Map.of(), python, PACKAGE.resolve("build/wheel.py"), bundle, into);
    try (Stream<Path> made = Files.list(into)) {
      return made.findFirst().orElseThrow();
    }
  }

  @Test
  void itsOwnTestsPass() throws Exception {
    Path python = pythons().getFirst();
    String said =
        run(
            Map.of("PYTHONDONTWRITEBYTECODE", "1"),
            python,
            "-m",
            "unittest",
            "discover",
            "-s",
            PACKAGE.resolve("tests"));
    assertTrue(said.contains("OK"), said);
  }

  @Test
  void aWheelAnswersWithoutJava() throws Exception {
    List<Path> pythons = pythons();
    Path bundle = bundle();
    Path wheel = wheel(pythons.getFirst(), bundle, "one");
    assertEquals(-1, Files.mismatch(wheel, wheel(pythons.getLast(), bundle, "two")));
    Path tools = Files.createDirectory(folder.resolve("tools"));
    for (String tool : List.of("sh", "readlink", "stty")) {
      Files.createSymbolicLink(tools.resolve(tool), Path.of("/usr/bin", tool));
    }
    Map<String, String> noJava = Map.of("PATH", tools.toString());
    for (Path python : pythons) {
      Path venv = folder.resolve("venv-" + python.getFileName());
      run(Map.of(), python, "-m", "venv", venv);
      run(Map.of(), venv.resolve("bin/pip"), "install", "--no-index", "--no-deps", wheel);
      String said = run(noJava, venv.resolve("bin/allocsim"), "inspect", SAMPLE);
      assertTrue(said.contains("gpt_oom"), said);
      String asked =
          run(
              noJava,
              venv.resolve("bin/python"),
              "-c",
              "import allocsim; print(allocsim.open('" + SAMPLE + "').peak().text)");
      assertTrue(asked.contains("GiB"), asked);
    }
  }
}
