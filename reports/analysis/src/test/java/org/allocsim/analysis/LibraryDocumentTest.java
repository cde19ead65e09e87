package org.allocsim.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program and the session of the library's page print what stands there. */
class LibraryDocumentTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final String PROMPT = "jshell> ";

  /** What the page shows as class path is the program; here the library alone has to do. */
  private static final String SHOWN_CLASS_PATH = "reports/app/target/quick/app/allocsim.jar";

  private static final int MAX_SECONDS = 300;

  @TempDir private Path folder;

  @Test
  void theProgramPrintsWhatThePageShows() throws Exception {
    Path source = folder.resolve("Example.java");
    Files.writeString(source, block("```java\n"));
    String shown = block("```console\n$ java --class-path " + SHOWN_CLASS_PATH + " Example.java\n");
    assertTrue(shown.lines().count() > 1, "the page shows no output");
    assertEquals(shown, outputOf("", tool("java"), "--class-path", classPath(), source.toString()));
  }

  @Test
  void theSessionPrintsWhatThePageShows() throws Exception {
    List<String> entered = new ArrayList<>();
    List<String> shown = new ArrayList<>();
    for (String line :
        block("```console\n$ jshell --class-path " + SHOWN_CLASS_PATH + "\n").lines().toList()) {
      if (line.startsWith(PROMPT)) {
        entered.add(line.substring(PROMPT.length()));
      } else {
        shown.add(line);
      }
    }
    assertTrue(shown.size() > 1, "the page shows no output");
    String printed =
        outputOf(
            String.join("\n", entered) + "\n",
            tool("jshell"),
            "-J-Djava.util.prefs.userRoot=" + folder,
            "--class-path",
            classPath());
    assertEquals(
        shown,
        printed
            .lines()
            .map(line -> withoutEcho(line.replace(PROMPT, "").strip(), entered))
            .filter(line -> !line.isEmpty() && !line.startsWith("|"))
            .toList());
  }

  /** On a busy machine the session may repeat what it reads before it answers. */
  private static String withoutEcho(String line, List<String> entered) {
    return entered.stream()
        .filter(line::startsWith)
        .findFirst()
        .map(input -> line.substring(input.length()).strip())
        .orElse(line);
  }

  /** What stands between the beginning of a block and its end. */
  private static String block(String begin) throws IOException {
    String page = Files.readString(ROOT.resolve("reports/docs/library.md"));
    Matcher block =
        Pattern.compile("^" + Pattern.quote(begin) + "((?s:.*?))^```$", Pattern.MULTILINE)
            .matcher(page);
    assertTrue(block.find(), "the page has lost the block that begins with " + begin);
    return block.group(1);
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  private String outputOf(String input, String... command) throws Exception {
    Path in = Files.writeString(folder.resolve("in.txt"), input);
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    Process process =
        new ProcessBuilder(command)
            .directory(ROOT.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertTrue(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS), "it does not end");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(0, process.exitValue(), () -> read(err) + read(out));
    return read(out).replace(System.lineSeparator(), "\n");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
