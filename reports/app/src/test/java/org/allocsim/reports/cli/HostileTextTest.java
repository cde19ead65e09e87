package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** Names in a trace, and the name of its file, are text in every output, and nothing else. */
class HostileTextTest {
  private static final Pattern MARKUP = Pattern.compile("<[A-Za-z/!?]");
  private static final Pattern LIVE_BACKTICK = Pattern.compile("(?<!\\\\)(\\\\\\\\)*`x");
  private static final Pattern LINK = Pattern.compile("(?<!\\\\)\\]\\(");
  private static final Pattern OPEN_FENCE = Pattern.compile("(?ms)^(`{3,})[a-z]*$.*?^\\1$");

  @TempDir private Path folder;
  private Path trace;
  private Map<String, List<Object>> lines;

  @BeforeEach
  void trace() throws IOException {
    try {
      trace = HostileTrace.write(folder);
    } catch (InvalidPathException e) {
      abort("files cannot have such names here: " + e.getMessage());
    }
    lines = CommandLines.on(trace, folder);
  }

  /** Every character is printable, and no text begins a line of its own. */
  private static void assertHarmlessOnATerminal(String text, String what) {
    text.codePoints()
        .filter(character ->
            character != '\n'
                && (Character.isISOControl(character)
                    || Character.getType(character) == Character.FORMAT
                    || character == 0x2028))
        .findFirst()
        .ifPresent(character -> {
          throw new AssertionError(what + " has U+" + Integer.toHexString(character));
        });
    assertFalse(
        text.lines().anyMatch(line -> line.startsWith(HostileTrace.MARK)), what + "\n" + text);
  }

  private static void assertHarmlessMarkdown(String text, String what) {
    assertHarmlessOnATerminal(text, what);
    String outside = OPEN_FENCE.matcher(text).replaceAll("");
    assertFalse(MARKUP.matcher(outside).find(), what + "\n" + outside);
    assertFalse(LIVE_BACKTICK.matcher(outside).find(), what + "\n" + outside);
    assertFalse(LINK.matcher(outside).find(), what + "\n" + outside);
    long[] columns =
        outside
            .lines()
            .filter(line -> line.startsWith("|"))
            .mapToLong(line ->
                line.replaceAll("\\\\\\\\|\\\\\\|", "").chars().filter(c -> c == '|').count())
            .toArray();
    for (int i = 0; i + 1 < columns.length; i++) {
      assertTrue(columns[i] > 1, what);
    }
  }

  @Test
  void onATerminal() {
    TreeSet<String> shown = new TreeSet<>();
    List<Executable> checks = new ArrayList<>();
    lines.forEach((name, arguments) ->
        checks.add(() -> {
          CommandRun run = CommandRun.of(CommandLines.words(name, arguments));
          assertHarmlessOnATerminal(run.out(), name);
          assertHarmlessOnATerminal(run.err(), name);
          assertTrue(run.exitCode() <= ExitCodes.CHECK_DID_NOT_HOLD || name.contains("oom"), name);
          if ((run.out() + run.err()).contains(HostileTrace.MARK)) {
            shown.add(name);
          }
        }));
    assertAll(checks);
    assertTrue(
        shown.containsAll(
            List.of("replay", "peak", "blockers", "inspect", "verify", "leaks", "diff")),
        shown.toString());
  }

  @Test
  void inSentencesOfFailures() throws IOException {
    Path broken = folder.resolve(HostileTrace.fileName(".json"));
    List<Executable> checks = new ArrayList<>();
    for (String content : List.of("", "{", HostileTrace.TEXT)) {
      lines.forEach((name, arguments) -> {
        if (arguments.contains(trace)) {
          checks.add(() -> {
            Files.writeString(broken, content);
            List<Object> onBroken =
                arguments.stream()
                    .map(each -> each.equals(trace) ? (Object) broken : each)
                    .toList();
            CommandRun run = CommandRun.of(CommandLines.words(name, onBroken));
            assertTrue(run.exitCode() > 0, name);
            assertHarmlessOnATerminal(run.out(), name);
            assertHarmlessOnATerminal(run.err(), name);
            assertTrue(run.err().contains(HostileTrace.MARK) || name.equals("sweep"), run.err());
          });
        }
      });
    }
    assertAll(checks);
  }

  /** What is looked at of a command. */
  private interface Check {
    void of(String name, List<Object> arguments) throws IOException;
  }

  /** Checks all commands that read the trace and have an option, which are more than twelve. */
  private void checkAllWith(String option, Check check) {
    List<Executable> checks = new ArrayList<>();
    lines.forEach((name, arguments) -> {
      if (arguments.contains(trace) && has(name, option)) {
        checks.add(() -> check.of(name, arguments));
      }
    });
    assertTrue(checks.size() > 12, option + ": " + checks.size());
    assertAll(checks);
  }

  @Test
  void inMarkdown() {
    checkAllWith(
        "--markdown",
        (name, arguments) -> {
          CommandRun run = CommandRun.of(CommandLines.words(name, arguments, "--markdown"));
          assertHarmlessMarkdown(run.out(), name);
        });
  }

  @Test
  void inJson() {
    checkAllWith(
        "--json",
        (name, arguments) -> {
          CommandRun run = CommandRun.of(CommandLines.words(name, arguments, "--json", "-"));
          assertTrue(new ObjectMapper().readTree(run.out()).has("schema"), name + run.err());
          assertFalse(run.out().contains("\u001b"), name);
        });
  }

  @Test
  void inCsv() {
    checkAllWith(
        "--csv",
        (name, arguments) -> {
          CommandRun run = CommandRun.of(CommandLines.words(name, arguments, "--csv", "-"));
          assertHarmlessCsv(run.out(), name);
        });
  }

  private static void assertHarmlessCsv(String text, String what) {
    assertFalse(
        Pattern.compile("(?m)(^|,)\"?[=@]|(^|,)\"?[+\\-](?![0-9.]+([eE][-+]?[0-9]+)?(,|$)|(,|$))")
            .matcher(text)
            .find(),
        what + "\n" + text);
  }

  @Test
  void inPagesAndCharts() {
    checkAllWith(
        "--report",
        (name, arguments) -> {
          int given = arguments.indexOf("--report");
          Path report =
              given >= 0 ? (Path) arguments.get(given + 1) : folder.resolve("report-" + name);
          Object[] more = given >= 0 ? new Object[] {} : new Object[] {"--report", report};
          CommandRun run = CommandRun.of(CommandLines.words(name, arguments, more));
          if (Files.isDirectory(report)) {
            try (Stream<Path> files = Files.list(report)) {
              files.forEach(HostileTextTest::assertHarmlessFile);
            }
          }
          assertHarmlessOnATerminal(run.out() + run.err(), name);
        });
  }

  @Test
  void inTheChartOfAReplay() throws IOException {
    assumeTrue(ChartFonts.areAvailable(), "there are no fonts here");
    Path charts = folder.resolve("charts");
    CommandRun run = CommandRun.of("replay", trace, "--charts", charts);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    try (Stream<Path> files = Files.list(charts)) {
      files.forEach(HostileTextTest::assertHarmlessFile);
    }
  }

  /** What a user gives beside a trace has names too. */
  private Map<String, List<Object>> withOtherInputs() throws IOException {
    String name = HostileTrace.TEXT;
    Path log =
        Files.writeString(
            folder.resolve(HostileTrace.fileName(".log")),
            "PYTORCH_CUDA_ALLOC_CONF="
                + name
                + "\n"
                + "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
                + " GPU 0 has a total capacity of 24.00 GiB of which 1.00 GiB is free. Process 1"
                + " has 23.00 GiB memory in use. Of the allocated memory 20.00 GiB is allocated by"
                + " PyTorch, and 2.50 GiB is reserved by PyTorch but unallocated. "
                + name
                + "\n  File \""
                + name
                + "\", line 3, in "
                + name
                + "\n");
    String cell = name.replaceAll("[\r\n,\u2028]", "");
    Path smi =
        Files.writeString(
            folder.resolve(HostileTrace.fileName(".csv")),
            "timestamp, "
                + cell
                + ", index, name, uuid, memory.used [MiB], memory.free [MiB], memory.total [MiB]\n"
                + "2026/01/01 00:00:00.000, "
                + cell
                + ", 0, "
                + cell
                + ", "
                + cell
                + ", 6000 MiB, 2000 MiB, 8000 MiB\n");
    JsonNode profile = new ObjectMapper().readTree(CommandRun.of("list", "devices", "t4").out());
    ((ObjectNode) profile).put("name", name);
    Path device =
        Files.writeString(folder.resolve(HostileTrace.fileName(".device")), profile.toString());
    return Map.of(
        "explain-oom", List.of(log),
        "diagnose", List.of(trace, log),
        "account", List.of(trace, "--smi", smi),
        "replay", List.of(trace, "--device", device),
        "compare", List.of(trace, "--policies", "pytorch,direct", "--device", device),
        "tune", List.of(trace, "--grid", "coarse", "--device", device),
        "view", List.of(trace, "--device", device));
  }

  @Test
  void inLogsSamplesAndProfiles() throws IOException {
    List<Executable> checks = new ArrayList<>();
    withOtherInputs()
        .forEach((name, arguments) ->
            checks.add(() -> {
              Path report = folder.resolve("of-others-" + name);
              CommandRun run =
                  CommandRun.of(CommandLines.words(name, arguments, "--report", report));
              assertHarmlessOnATerminal(run.out() + run.err(), name);
              if (run.exitCode() != ExitCodes.FAILED) {
                assertHarmlessFiles(report);
                CommandRun markdown =
                    CommandRun.of(
                        CommandLines.words(
                            name, arguments, "--report", report.resolve("again"), "--markdown"));
                assertHarmlessMarkdown(markdown.out(), name);
              }
            }));
    assertAll(checks);
  }

  @Test
  void inOptionsThatAreRefused() {
    List<Executable> checks = new ArrayList<>();
    for (List<Object> words :
        List.<List<Object>>of(
            List.of("lint-conf", HostileTrace.TEXT),
            List.of("lint-conf", HostileTrace.TEXT + ":1"),
            List.of("replay", trace, "--conf", HostileTrace.TEXT),
            List.of("replay", trace, "--policy", HostileTrace.TEXT),
            List.of("replay", trace, "--policy", "rmm-pool(" + HostileTrace.TEXT + "=1)"),
            List.of("replay", trace, "--device", HostileTrace.TEXT),
            List.of("replay", trace, "--capacity", HostileTrace.TEXT),
            List.of("replay", trace, "--" + HostileTrace.TEXT),
            List.of("replay", trace, "--insert", HostileTrace.TEXT),
            List.of("compare", trace, "--confs", HostileTrace.TEXT),
            List.of("generate", HostileTrace.TEXT),
            List.of("generate", "mlp", "--option", HostileTrace.TEXT + "=1"),
            List.of("list", "policies", HostileTrace.TEXT),
            List.of("suite", HostileTrace.TEXT),
            List.of(HostileTrace.TEXT))) {
      checks.add(() -> {
        CommandRun run = CommandRun.of(words.toArray());
        assertHarmlessOnATerminal(run.out() + run.err(), words.getFirst().toString());
        assertTrue(run.exitCode() > 0, words.toString());
      });
    }
    assertAll(checks);
  }

  @Test
  void inEventsAndConvertedTraces() throws IOException {
    Path events = folder.resolve("events.jsonl");
    Path converted = folder.resolve("converted.jsonl");
    assertEquals(0, CommandRun.of("replay", trace, "--events", events).exitCode());
    assertEquals(0, CommandRun.of("convert", trace, "-o", converted).exitCode());
    for (Path file : List.of(events, converted)) {
      for (String line : Files.readAllLines(file)) {
        assertTrue(new ObjectMapper().readTree(line).isContainer(), line);
        assertFalse(line.contains("\u001b"), line);
      }
    }
  }

  private static void assertHarmlessFiles(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> all = files.filter(Files::isRegularFile).toList();
      assertFalse(all.isEmpty(), folder.toString());
      all.forEach(HostileTextTest::assertHarmlessFile);
    }
  }

  @Test
  void inAFleetReport() throws IOException {
    Path swept = folder.resolve("swept");
    assertEquals(0, CommandRun.of("sweep", trace, "-o", swept).exitCode());
    assertHarmlessCsv(Files.readString(swept.resolve("rows.csv")), "rows.csv");
    CommandRun again = CommandRun.of("sweep", trace, "-o", swept);
    assertTrue(again.out().contains("0 runs made, 2 kept from before"), again.out());
    CommandRun run = CommandRun.of("fleet-report", swept, "--family", "name");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertHarmlessMarkdown(Files.readString(swept.resolve("fleet.md")), "fleet.md");
    try (Stream<Path> files = Files.list(swept)) {
      files.filter(Files::isRegularFile).forEach(HostileTextTest::assertHarmlessFile);
    }
  }

  private static void assertHarmlessFile(Path file) {
    String name = file.getFileName().toString();
    try {
      if (name.endsWith(".svg")) {
        var builder = DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder();
        // The standard's description is elsewhere, and not needed.
        builder.setEntityResolver((_, _) -> new InputSource(new StringReader("")));
        builder.parse(new InputSource(new StringReader(Files.readString(file))));
        assertFalse(Files.readString(file).contains("\u202e"), name);
      } else if (name.endsWith(".html")) {
        String page = Files.readString(file);
        assertFalse(page.contains("<script>alert"), name);
        assertFalse(page.contains("\u202e"), name);
        assertFalse(page.contains("\u001b"), name);
      } else if (name.endsWith(".json")) {
        new ObjectMapper().readTree(Files.readString(file));
      } else if (name.endsWith(".csv")) {
        assertHarmlessCsv(Files.readString(file), name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (org.xml.sax.SAXException | javax.xml.parsers.ParserConfigurationException e) {
      throw new AssertionError(file + ": " + e.getMessage(), e);
    }
  }

  private static boolean has(String command, String option) {
    return CommandLines.command(command).getCommandSpec().optionsMap().containsKey(option);
  }
}
