package org.allocsim.reports.answer.diagnosis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.analysis.tuning.ConfLint;
import org.allocsim.analysis.tuning.LintFinding;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.tuning.LintQuestion;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.junit.jupiter.api.Test;

class LintAnswerTest {
  private static LintAnswer lint(String conf) {
    return new LintQuestion(
            conf, ConfLint.CUDA_VARIABLE, PyTorchVersion.DEFAULT, Platform.LINUX, null)
        .ask(new Asked(List.of()));
  }

  @Test
  void aLegalStringIsNotWrong() {
    LintAnswer answer = lint("expandable_segments:True");
    assertFalse(answer.isWrong());
    assertEquals(List.of(), answer.findings());
  }

  @Test
  void everyErrorOfAStringIsReported() {
    LintAnswer answer =
        lint("max_split_size_mb:8,expandable_segment:True,garbage_collection_threshold:2");
    assertEquals(3, answer.findings().size(), answer.findings().toString());
    for (String setting : List.of("max_split_size_mb", "expandable_segment", "garbage_collect")) {
      assertTrue(
          answer.findings().stream().anyMatch(each -> each.message().contains(setting)),
          answer.findings().toString());
    }
  }

  @Test
  void whatIsRightBesideAnErrorIsCheckedToo() {
    List<LintFinding.Kind> kinds =
        lint(
                "max_split_size_mb:8,garbage_collection_threshold:0.8,roundup_power2_divisions:[256:1,>:8]")
            .findings()
            .stream()
            .map(LintFinding::kind)
            .toList();
    assertEquals(List.of(LintFinding.Kind.ILLEGAL, LintFinding.Kind.INERT), kinds);
  }

  @Test
  void aStringThatPyTorchRefusesIsWrong() {
    LintAnswer answer = lint("max_split_size_mb:8");
    assertTrue(answer.isWrong());
    assertEquals(LintFinding.Kind.ILLEGAL, answer.findings().getFirst().kind());
  }
}
