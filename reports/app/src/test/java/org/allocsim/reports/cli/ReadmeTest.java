package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.allocsim.reports.chart.ChartFonts;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The console blocks of README, tour and user guide show what their commands print, the pictures of
 * the latter two what they draw. A line {@code ...} stands for lines left out, {@code ...} at the
 * end of a line for the rest of it; the title of a picture names the file that one of the commands
 * makes.
 */
class ReadmeTest {
  private static final Path ROOT = Path.of("..");
  private static final String LEFT_OUT = "...";
  private static final int MAX_README_LINES = 120;
  private static final int MAX_LINE_LENGTH = 100;

  /** Exit code of the verdict on the sample log. */
  private static final int CAPPED = 12;

  private static final Pattern BLOCK =
      Pattern.compile("^```console\\n\\$ \\./allocsim (.+)\\n((?s:.*?))^```$", Pattern.MULTILINE);
  private static final Pattern PICTURE =
      Pattern.compile("!\\[[^]]*]\\(([^ )]+)\\s+\"([^\"]+)\"\\)");

  /** Files and folders that commands write. */
  private static final Pattern OUTPUT =
      Pattern.compile(
          "[a-z]+\\.(png|csv|jsonl\\.zst)|charts|compared|capacity|ranks(/rank[0-9]\\.jsonl\\.zst)?");

  /** Commands that refuse to run on a system without fonts. */
  private static final Pattern DRAWS = Pattern.compile("--charts? |^min-capacity .*--report ");

  private static final Pattern HEAD = Pattern.compile("(.+) \\| head -([0-9]+)");

  @TempDir private Path folder;

  @BeforeEach
  void makeFolderOfRanks() throws IOException {
    Files.createDirectories(folder.resolve("ranks"));
  }

  @Test
  void theReadmeIsShort() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("README.md"));
    assertTrue(lines.size() <= MAX_README_LINES, lines.size() + " lines");
    assertEquals(
        List.of(), lines.stream().filter(line -> line.length() > MAX_LINE_LENGTH).toList());
  }

  @TestFactory
  List<DynamicTest> theReadmeShowsWhatHappens() throws IOException {
    List<DynamicTest> tests = commands(Files.readString(ROOT.resolve("README.md")));
    assertFalse(tests.isEmpty(), "README.md has lost its commands");
    return tests;
  }

  @TestFactory
  List<DynamicTest> theTourShowsWhatHappens() throws IOException {
    return tests(Path.of("docs/tour.md"));
  }

  @TestFactory
  List<DynamicTest> theGuideShowsWhatHappens() throws IOException {
    return tests(Path.of("docs/guide.md"));
  }

  /** The commands in their order. */
  private List<DynamicTest> commands(String text) {
    List<DynamicTest> tests = new ArrayList<>();
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      String command = block.group(1);
      List<String> shown = block.group(2).lines().toList();
      tests.add(DynamicTest.dynamicTest(command, () -> assertShown(shown, outputOf(command))));
    }
    assertEquals(
        text.lines().filter("```console"::equals).count(), tests.size(), "blocks understood");
    return tests;
  }

  /** The commands in their order, then the pictures that they make. */
  private List<DynamicTest> tests(Path document) throws IOException {
    String text = Files.readString(document);
    List<DynamicTest> tests = commands(text);
    int commands = tests.size();
    assertTrue(commands > 3, document + " has lost its commands");
    Matcher picture = PICTURE.matcher(text);
    while (picture.find()) {
      Path kept = document.resolveSibling(picture.group(1));
      Path made = folder.resolve(picture.group(2));
      tests.add(
          DynamicTest.dynamicTest(picture.group(1), () -> new DocumentPicture(kept, made).check()));
    }
    assertTrue(tests.size() > commands, document + " has lost its pictures");
    return tests;
  }

  private List<String> outputOf(String command) {
    assumeTrue(
        ChartFonts.areAvailable() || !DRAWS.matcher(command).find(),
        "not run: this system has no fonts");
    Matcher head = HEAD.matcher(command);
    boolean cut = head.matches();
    CommandRun run =
        CommandRun.of(
            Arrays.stream((cut ? head.group(1) : command).split(" "))
                .map(argument -> here(argument.replace("'", "")))
                .toArray());
    assertEquals(exitCode(command), run.exitCode(), run.err());
    List<String> lines =
        run.out()
            .replace(ROOT + "/reports/", "reports/")
            .replace(folder + "/", "")
            .lines()
            .toList();
    return cut ? lines.subList(0, Integer.parseInt(head.group(2))) : lines;
  }

  /** What is shown where it fails: a log of a failure, a limit that is not kept. */
  private static int exitCode(String command) {
    if (command.startsWith("explain-oom ")) {
      return CAPPED;
    }
    boolean isTooSmall = command.startsWith("tune ") && command.endsWith(" --memory-limit 8GiB");
    boolean staysAwake = command.startsWith("colocate ") && command.contains("sleep=0");
    return isTooSmall || staysAwake || command.startsWith("check ")
        ? ExitCodes.CHECK_DID_NOT_HOLD
        : ExitCodes.DONE;
  }

  /** Inputs are named from the root of the project; outputs go to a folder of the test. */
  private String here(String argument) {
    if (argument.startsWith("reports/")) {
      return ROOT + "/" + argument;
    }
    return OUTPUT.matcher(argument).matches() ? folder.resolve(argument).toString() : argument;
  }

  private static void assertShown(List<String> shown, List<String> printed) {
    int next = 0;
    boolean skipped = false;
    for (String line : shown) {
      if (line.equals(LEFT_OUT)) {
        skipped = true;
        continue;
      }
      int at = next;
      while (skipped && at < printed.size() && !matches(line, printed.get(at))) {
        at++;
      }
      if (at == printed.size() || !matches(line, printed.get(at))) {
        fail("not printed here: " + line + "\nbut: " + printed.subList(next, printed.size()));
      }
      next = at + 1;
      skipped = false;
    }
    assertTrue(
        skipped || next == printed.size(), "not shown: " + printed.subList(next, printed.size()));
  }

  private static boolean matches(String shown, String printed) {
    return shown.endsWith(" " + LEFT_OUT)
        ? printed.startsWith(shown.substring(0, shown.length() - LEFT_OUT.length()))
        : printed.equals(shown);
  }

  @Test
  void fromAfarAnotherChartLooksDifferent() throws IOException {
    BufferedImage memory = ImageIO.read(Path.of("docs/pictures/memory.png").toFile());
    BufferedImage sizes = ImageIO.read(Path.of("docs/pictures/sizes.png").toFile());
    assertEquals(memory.getHeight(), sizes.getHeight());
    assertTrue(DocumentPicture.looksLike(memory, memory));
    assertFalse(DocumentPicture.looksLike(memory, sizes));
  }

  @Test
  void aLineThatIsNotPrintedIsFound() {
    List<String> printed = List.of("a", "b", "c");
    assertShown(List.of("a", "...", "c"), printed);
    assertShown(List.of("a", "..."), printed);
    for (List<String> wrong :
        List.of(
            List.of("a", "c"), List.of("a", "b"), List.of("...", "d"), List.of("...", "b", "a"))) {
      boolean accepted = true;
      try {
        assertShown(wrong, printed);
      } catch (AssertionError _) {
        accepted = false;
      }
      assertFalse(accepted, wrong.toString());
    }
  }
}
