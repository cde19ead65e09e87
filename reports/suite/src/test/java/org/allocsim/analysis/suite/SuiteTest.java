package org.allocsim.analysis.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SuiteTest {
  static Stream<String> names() {
    return Suite.all().stream().map(scenario -> scenario.topic().name());
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyCheckHolds(String name) {
    SuiteResult result = Suite.run(Suite.named(name).orElseThrow());
    Findings findings = result.findings();
    assertEquals(List.of(), findings.checks().stream().filter(check -> !check.holds()).toList());
    assertFalse(findings.checks().isEmpty(), "a scenario without checks shows nothing");
    assertFalse(findings.before().isBlank() || findings.after().isBlank());
    assertTrue(findings.sentence().endsWith("."), findings.sentence());
    assertTrue(result.outcomes().list().size() >= 2, "a scenario is a pair at least");
  }

  @ParameterizedTest
  @MethodSource("names")
  void labelsOfVariantsDiffer(String name) {
    Set<String> labels = new HashSet<>();
    for (Variant variant : Suite.named(name).orElseThrow().variants()) {
      assertTrue(labels.add(variant.label()), variant.label());
    }
  }

  @Test
  void theFifteenReportedFailuresAreThere() {
    assertEquals(
        15, Suite.all().stream().filter(each -> each.topic().kind() == Kind.FAILURE).count());
  }

  /** A new scenario is a class and a line; this fails where the line is missing. */
  @Test
  void everyScenarioIsRegistered() throws URISyntaxException {
    Set<String> known = new HashSet<>();
    Suite.all().forEach(scenario -> known.add(scenario.getClass().getSimpleName()));
    Path root = Path.of(Suite.class.getResource("Suite.class").toURI()).getParent();
    for (String kind : List.of("failure", "claim/allocator", "claim/program", "need")) {
      File[] files = root.resolve(kind).toFile().listFiles();
      assertTrue(files != null && files.length > 0, kind);
      for (File file : files) {
        String name = file.getName().replace(".class", "");
        if (isScenario(kind, name)) {
          assertTrue(known.contains(name), name + " is not in the service file");
        }
      }
    }
  }

  private static boolean isScenario(String kind, String name) {
    try {
      Class<?> type =
          Class.forName("org.allocsim.analysis.suite." + kind.replace('/', '.') + "." + name);
      return SuiteScenario.class.isAssignableFrom(type);
    } catch (ClassNotFoundException _) {
      return false;
    }
  }

  @Test
  void aSecondRunFindsTheSame() {
    List<SuiteScenario> some =
        Suite.all().stream().filter(each -> each.topic().name().length() % 3 == 0).toList();
    assertTrue(some.size() > 5);
    List<Findings> first =
        Suite.run(some, (_, _) -> {}).stream().map(SuiteResult::findings).toList();
    List<Findings> second =
        Suite.run(some, (_, _) -> {}).stream().map(SuiteResult::findings).toList();
    assertEquals(first, second);
  }

  @Test
  void aClaimIsAsTrueAsThePlacesWhereItHolds() {
    assertEquals(Verdict.WRONG, claim(false, false).verdict());
    assertEquals(Verdict.PARTLY_TRUE, claim(false, true).verdict());
    assertEquals(Verdict.TRUE, claim(true, true).verdict());
    assertTrue(claim(true, true).passes());
    assertFalse(claim(false, true).passes(), "another verdict than the documented one");
  }

  private static Findings claim(boolean... trueWhere) {
    Findings.Builder findings = Findings.ofClaim().documented(Verdict.TRUE);
    for (boolean isTrue : trueWhere) {
      findings.tried(isTrue);
    }
    return findings.conclude("It is so.");
  }

  @Test
  void aFailureIsReproducedOnlyWithAllItsFigures() {
    Findings both = Findings.ofFailure().bytes("a", 5, 5).gib("b", "1.50", 3L << 29).conclude("S.");
    assertEquals(Verdict.REPRODUCED, both.verdict());
    Findings one = Findings.ofFailure().bytes("a", 5, 6).gib("b", "1.50", 3L << 29).conclude("S.");
    assertEquals(Verdict.NOT_REPRODUCED, one.verdict());
    assertFalse(one.passes());
    assertFalse(Findings.ofFailure().gib("b", "1.51", 3L << 29).conclude("S.").passes());
    assertFalse(Findings.ofFailure().between("c", 1, 2, Double.NaN).conclude("S.").passes());
    assertFalse(Findings.ofFailure().count("d", 1, 2).conclude("S.").passes());
  }
}
