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
  void aStringThatPyTorchRefusesIsWrong() {
    LintAnswer answer = lint("max_split_size_mb:8");
    assertTrue(answer.isWrong());
    assertEquals(LintFinding.Kind.ILLEGAL, answer.findings().getFirst().kind());
  }
}
