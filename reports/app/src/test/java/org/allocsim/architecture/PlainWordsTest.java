package org.allocsim.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Texts that users read, and names in the code, say things in the field's words. Comments are not
 * looked at.
 */
final class PlainWordsTest {
  /** Characters on either side of a phrase that a failure shows. */
  private static final int EXCERPT = 60;

  /**
   * Where a phrase stays.
   *
   * @param place beginning of the file's path
   * @param text part of the text, or of the name
   * @param reason why it stays
   */
  private record Kept(String place, String text, String reason) {}

  private static final List<Kept> KEPT_TEXTS =
      List.of(
          new Kept(
              "simulator/src/main/java/org/allocsim/simulator/message/OutOfMemoryMessage.java",
              "of which",
              "PyTorch's own message"),
          new Kept(
              "workloads/python/allocsim/estimate/ending.py",
              "not supported by the (?:mock|stand-in)",
              "messages of mock drivers of earlier versions are recognized"),
          new Kept("validation/SPEED-HISTORY.md", "h200-beside", "name of a file of results"));

  private static final List<Kept> KEPT_NAMES =
      List.of(
          new Kept(
              "validation/gpu/src/main/java/org/allocsim/validation/calibration/RobustFit.java",
              "leastSquares",
              "the method of least squares"),
          new Kept(
              "validation/benchmarks/src/main/java/org/allocsim/benchmarks/",
              "takeAndGiveBack",
              "id of a benchmark in recorded results"),
          new Kept("reports/web/", "tandIn", "substitutes of classes that a browser does not have"),
          new Kept(
              "simulator/src/main/java/org/allocsim/simulator/policy/pagedkv/",
              "",
              "not renamed yet"),
          new Kept("workloads/src/main/java/org/allocsim/workloads/model/", "", "not renamed yet"),
          new Kept("reports/serving/src/main/", "", "not renamed yet"));

  /** Modules of the Python package whose documentation users read. */
  private static final Set<String> WITH_DOCSTRINGS =
      Set.of(
          "workloads/python/allocsim/__init__.py",
          "workloads/python/allocsim/recording.py",
          "workloads/python/allocsim/limits.py",
          "workloads/python/allocsim/pytest_plugin.py",
          "workloads/python/allocsim/advise/api.py",
          "workloads/python/allocsim/advise/remedy.py",
          "workloads/python/allocsim/estimate/api.py",
          "workloads/python/allocsim/estimate/answer.py",
          "workloads/python/allocsim/recorder/__init__.py");

  @Test
  void textsSayThingsPlainly() {
    List<ReadText> texts = texts();
    assertTrue(texts.size() > 10_000, "hardly any text was found: " + texts.size());
    assertEquals(List.of(), found(texts, AvoidedWord.IN_TEXTS, KEPT_TEXTS));
  }

  @Test
  void namesSayThingsPlainly() {
    assertEquals(
        List.of(),
        found(
            SourceTree.mainFiles().stream()
                .flatMap(file -> ReadText.ofJavaNames(path(file), SourceTree.read(file)).stream())
                .toList(),
            AvoidedWord.IN_IDENTIFIERS,
            KEPT_NAMES));
  }

  @Test
  void theGlossaryExplainsTheTermsToUse() {
    String guide = SourceTree.read(SourceTree.ROOT.resolve("reports/docs/guide.md"));
    int start = guide.indexOf("\n## Words\n");
    String glossary = guide.substring(start, guide.indexOf("\n## ", start + 1));
    for (AvoidedWord word : AvoidedWord.IN_TEXTS) {
      if (word.isTerm()) {
        assertTrue(glossary.contains("**" + word.better() + "**"), word.better());
      }
    }
  }

  @Test
  void textsOfEveryKindAreSeen() {
    String java =
        """
        /* a "comment" */ class A { // "and" another
          char quote = '"';
          String text = "one \\"and\\" " + "two" + name + "three";
        }
        """;
    assertEquals(
        List.of("one \\\"and\\\" two", "three"),
        ReadText.ofJava("A.java", java).stream().map(ReadText::text).toList());
    String python = "\"\"\"Says\nit.\"\"\"\nx = f\"one \"  # \"no\"\n    \"two\"\ny = '''a'''\n";
    assertEquals(
        List.of("Says it."),
        ReadText.ofPython("a.py", python, true).stream()
            .map(ReadText::text)
            .filter(each -> each.startsWith("Says"))
            .toList());
    assertEquals(
        List.of("Text goes on.", "- and"),
        ReadText.ofDocument("a.md", "Text `code`\ngoes on.\n\n    code\n\n- and\n").stream()
            .map(ReadText::text)
            .toList());
    assertEquals(
        List.of("let a = 'b';"),
        ReadText.ofPage("a.js", "// says\nlet a = 'b'; // so\n").stream()
            .map(ReadText::text)
            .toList());
  }

  private static List<String> found(
      List<ReadText> texts, List<AvoidedWord> words, List<Kept> kept) {
    List<Kept> unused = new ArrayList<>(kept);
    List<String> found = new ArrayList<>();
    for (ReadText text : texts) {
      for (AvoidedWord word : words) {
        Matcher match = word.phrase().matcher(text.text());
        if (match.find()) {
          List<Kept> reasons =
              kept.stream()
                  .filter(each ->
                      text.file().startsWith(each.place()) && text.text().contains(each.text()))
                  .toList();
          unused.removeAll(reasons);
          if (reasons.isEmpty()) {
            found.add(
                "%s:%d: '%s'; write %s: %s"
                    .formatted(
                        text.file(),
                        text.line(),
                        match.group(),
                        word.better(),
                        excerpt(text.text(), match)));
          }
        }
      }
    }
    unused.forEach(each -> found.add("an exception that nothing needs: " + each));
    return found;
  }

  private static String excerpt(String text, Matcher match) {
    return text.substring(
        Math.max(0, match.start() - EXCERPT), Math.min(text.length(), match.end() + EXCERPT));
  }

  /** Literals that are a single word are keys, ids and names of files. */
  private static List<ReadText> texts() {
    return Stream.of(
            SourceTree.mainFiles().stream()
                .flatMap(file -> ReadText.ofJava(path(file), SourceTree.read(file)).stream()),
            SourceTree.textFiles().stream().flatMap(PlainWordsTest::read))
        .flatMap(each -> each)
        .filter(each -> each.text().contains(" "))
        .toList();
  }

  private static Stream<ReadText> read(Path file) {
    String path = path(file);
    String text = SourceTree.read(file);
    return switch (path.substring(path.lastIndexOf('.') + 1)) {
      case "py" -> ReadText.ofPython(path, text, WITH_DOCSTRINGS.contains(path)).stream();
      case "md" -> ReadText.ofDocument(path, text).stream();
      case "txt" -> ReadText.ofPlainText(path, text).stream();
      default -> ReadText.ofPage(path, text).stream();
    };
  }

  private static String path(Path file) {
    return SourceTree.ROOT.relativize(file).toString().replace('\\', '/');
  }
}
