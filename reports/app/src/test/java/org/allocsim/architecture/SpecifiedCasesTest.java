package org.allocsim.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.allocsim.simulator.policy.Policies;
import org.junit.jupiter.api.Test;

/**
 * The cases that tests name stand in the documents of the rules. A test names a case of PyTorch's
 * allocator as {@code case58_…}, one of another policy as {@code cls4…}, {@code pad1To4…}, {@code
 * qpl4and5…}, or as {@code CLS-4} in a comment; the naive model of PyTorch's allocator names rules
 * by their sections.
 */
final class SpecifiedCasesTest {
  private static final String PYTORCH = document("pytorch-caching-allocator.md");
  private static final String POLICIES = document("allocator-policies.md");

  /** Numbers of the first column, of PyTorch's cases without a name. */
  private static final Pattern ROW = Pattern.compile("^\\| (?:([A-Z]{2,3})-)?([0-9]+) \\|");

  private static final Pattern SECTION = Pattern.compile("^(?:## )?([0-9]+(?:\\.[0-9]+)?)\\.? ");
  private static final Pattern NAMED_SECTION =
      Pattern.compile("(?:Rule|rules of section) ([0-9]+(?:\\.[0-9]+)?)");

  @Test
  void everyCaseThatATestNamesStandsInItsDocument() {
    Set<String> known = cases(PYTORCH);
    known.addAll(cases(POLICIES));
    Set<String> named = new TreeSet<>();
    for (Path file : SourceTree.testFiles()) {
      if (file.endsWith("SpecifiedCasesTest.java")) {
        continue;
      }
      named.addAll(named(SourceTree.read(file), prefixes(known)));
    }
    assertTrue(named.size() > 100, "tests name hardly any case: " + named);
    named.removeAll(known);
    assertEquals(Set.of(), named, "cases that the documents lack");
  }

  @Test
  void everyPolicyHasItsRules() {
    List<String> missing =
        Policies.all().stream()
            .map(provider -> provider.spec().id())
            .filter(id -> !POLICIES.contains("`" + id + "`"))
            .toList();
    assertEquals(List.of(), missing, "policies that the document lacks");
  }

  @Test
  void everySectionThatTheNaiveModelNamesStandsInTheDocument() {
    Set<String> named = new TreeSet<>();
    for (Path file : SourceTree.testFiles()) {
      if (file.getFileName().toString().startsWith("Naive")
          && file.toString().contains("pytorch")) {
        find(NAMED_SECTION, SourceTree.read(file), named);
      }
    }
    assertTrue(named.size() > 5, "the naive model names hardly any rule: " + named);
    Set<String> known = new TreeSet<>();
    PYTORCH.lines().forEach(line -> find(SECTION, line, known));
    named.removeAll(known);
    assertEquals(Set.of(), named, "sections that the document lacks");
  }

  @Test
  void aCaseThatIsMissingIsFound() {
    Set<String> prefixes = prefixes(cases(POLICIES));
    assertEquals(
        Set.of("case 999", "CLS-99", "PAD-1", "PAD-2", "QPL-8", "QPL-9"),
        named(
            """
            /** Of CLS-99. */
            void case999_isNot() {}
            void pad1To2_are() {}
            void qpl8and9_areNot() {}
            void rmm1957_isAnIssue() {}
            """,
            prefixes));
  }

  private static Set<String> cases(String text) {
    Set<String> cases = new TreeSet<>();
    for (String line : text.lines().toList()) {
      Matcher row = ROW.matcher(line);
      if (row.find()) {
        cases.add(label(row.group(1) == null ? "CASE" : row.group(1), row.group(2)));
      }
    }
    return cases;
  }

  private static Set<String> prefixes(Set<String> cases) {
    return cases.stream()
        .filter(each -> each.contains("-"))
        .map(each -> each.substring(0, each.indexOf('-')))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> named(String source, Set<String> prefixes) {
    Set<String> named = new TreeSet<>();
    String any = String.join("|", prefixes);
    Matcher method =
        Pattern.compile(
                "void (case|" + any.toLowerCase(Locale.ROOT) + ")([0-9]+)(?:(and|To)([0-9]+))?")
            .matcher(source);
    while (method.find()) {
      String prefix = method.group(1).toUpperCase(Locale.ROOT);
      int first = Integer.parseInt(method.group(2));
      int last = method.group(4) == null ? first : Integer.parseInt(method.group(4));
      for (int number = first; number <= last; number++) {
        named.add(label(prefix, Integer.toString(number)));
      }
    }
    Matcher comment = Pattern.compile("\\b(" + any + ")-([0-9]+)\\b").matcher(source);
    while (comment.find()) {
      named.add(label(comment.group(1), comment.group(2)));
    }
    return named;
  }

  private static String label(String prefix, String number) {
    return prefix.equals("CASE") ? "case " + Integer.parseInt(number) : prefix + "-" + number;
  }

  private static void find(Pattern pattern, String text, Collection<String> into) {
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      into.add(matcher.group(1));
    }
  }

  private static String document(String name) {
    return SourceTree.read(SourceTree.ROOT.resolve("simulator/docs").resolve(name));
  }
}
