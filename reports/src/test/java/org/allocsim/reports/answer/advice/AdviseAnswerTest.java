package org.allocsim.reports.answer.advice;

import java.util.List;
import org.allocsim.analysis.advice.Goal;
import org.allocsim.analysis.advice.Remedy;
import org.allocsim.analysis.advice.StepWork;
import org.allocsim.analysis.advice.Trial;
import org.allocsim.analysis.advice.Trials;
import org.allocsim.reports.answer.AnswerFigures;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A program that reserves 40 GiB and is to fit 30, of which a tenth stays free. */
class AdviseAnswerTest {
  private static final long GIB = 1L << 30;
  private static final String EXPANDABLE = "expandable_segments:True";

  private static final Remedy CHECKPOINTS =
      remedy(
          "checkpoints", null, null, List.of(new Remedy.Lines("train.py:7", "wrap(model)", true)));
  private static final Remedy HALF = remedy("half", null, null, List.of());
  private static final Remedy OFFLOAD = remedy("offload", "there is no optimizer", GIB, List.of());

  private static Remedy remedy(
      String name,
      @Nullable String reasonAgainst,
      @Nullable Long maxSavedBytes,
      List<Remedy.Lines> lines) {
    return new Remedy(
        name,
        "do " + name,
        "none",
        false,
        name,
        null,
        false,
        reasonAgainst,
        maxSavedBytes,
        1,
        lines);
  }

  /** A run that needs so much, also under its best settings, and does so much work in a step. */
  private static Trial trial(long reservedGib, long bestGib, long work, String... remedies) {
    long bytes = reservedGib * GIB;
    return new Trial(
        List.of(remedies),
        new Trial.Outcome(
            bytes - 2 * GIB, bytes - GIB, bytes, bytes, "", EXPANDABLE, bestGib * GIB, null),
        new StepWork(2, List.of(new StepWork.Operation(null, 0, work * GIB, 4)), 0, 0, 0),
        null,
        1,
        List.of());
  }

  private static AdviseAnswer answer(AdviseAnswer.@Nullable Checked checked, Trial... trials) {
    return new AdviseAnswer(
        new Trials(
            "train.py",
            ShippedProfiles.named("h200"),
            new Goal(30 * GIB, true, 0.1),
            false,
            null,
            false,
            List.of(CHECKPOINTS, HALF, OFFLOAD),
            List.of(trials)),
        null,
        checked);
  }

  private static AnswerFigures figures(Trial... trials) {
    return AnswerFigures.of(answer(null, trials).document(null));
  }

  @Test
  void theRemedyThatFitsIsChosenWithItsLinesToPaste() {
    AnswerFigures answer =
        figures(trial(40, 40, 4), trial(28, 28, 4, "half"), trial(24, 24, 8, "checkpoints"));
    answer.says(
        "Fits 30.00 GiB if you do checkpoints, with 6.00 GiB to spare: it reserves 24.00 GiB"
            + " instead of 40.00 GiB.");
    answer.is("/fits", true);
    answer.has("/chosen", 1);
    answer.is("/chosen/0", "checkpoints");
    answer.is("/conf", "");
    answer.has("/paste", 1);
    answer.is("/paste/0/place", "train.py:7");
    answer.is("/paste/0/text", "wrap(model)");
    answer.is("/paste/0/replaces", true);
  }

  @Test
  void theProgramAsItIsComesFirstThenWhatReservesLeastAndFailuresLast() {
    Trial failed =
        new Trial(
            List.of("half", "checkpoints"), new Trial.Problem("it ends"), null, null, 1, List.of());
    AnswerFigures answer =
        figures(
            failed, trial(28, 28, 4, "half"), trial(24, 24, 8, "checkpoints"), trial(40, 40, 4));
    answer.has("/trials", 4);
    answer.has("/trials/0/remedies", 0);
    answer.is("/trials/0/reserved_bytes", 40 * GIB);
    answer.is("/trials/0/change_ratio", 0.0);
    answer.is("/trials/0/step_operations", 2);
    answer.is("/trials/0/fits", "no");
    answer.is("/trials/1/remedies/0", "checkpoints");
    answer.is("/trials/1/requested_bytes", 22 * GIB);
    answer.is("/trials/1/allocated_bytes", 23 * GIB);
    answer.is("/trials/1/change_ratio", -0.4);
    answer.is("/trials/1/added_time_ratio", 1.0);
    answer.is("/trials/1/fits", "yes");
    // Within the limit, and not with the margin.
    answer.is("/trials/2/reserved_bytes", 28 * GIB);
    answer.is("/trials/2/fits", "no");
    answer.has("/trials/3/remedies", 2);
    answer.is("/trials/3/fits", "fails");
    answer.is("/trials/3/problem", "it ends");
    answer.isMissing("/trials/3/reserved_bytes");
    answer.isMissing("/trials/3/added_time_ratio");
  }

  @Test
  void settingsThatAreEnoughAreWhatToPaste() {
    AnswerFigures answer = figures(trial(40, 26, 4));
    answer.says(
        "Fits 30.00 GiB with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, with 4.00 GiB to"
            + " spare: it reserves 26.00 GiB instead of 40.00 GiB.");
    answer.is("/verdict/paste_line", "export PYTORCH_CUDA_ALLOC_CONF=" + EXPANDABLE);
    answer.is("/conf", EXPANDABLE);
    answer.has("/chosen", 0);
    answer.is("/trials/0/fits", "with settings");
    answer.is("/trials/0/best_reserved_bytes", 26 * GIB);
  }

  @Test
  void whereNothingFitsTheLeastIsNamed() {
    AnswerFigures answer = figures(trial(40, 40, 4), trial(28, 28, 4, "half"));
    answer.says(
        "Nothing tried makes it fit 30.00 GiB: the least is 28.00 GiB, instead of 40.00 GiB, if you"
            + " do half.");
    answer.is("/fits", false);
    answer.isMissing("/chosen");
    answer.isMissing("/conf");
    answer.has("/paste", 0);
  }

  @Test
  void whatDoesNotApplyIsLeftOutForItsReason() {
    AnswerFigures answer =
        figures(trial(40, 40, 4), trial(28, 28, 4, "half"), trial(24, 24, 8, "checkpoints"));
    answer.has("/not_tried", 1);
    answer.is("/not_tried/0/name", "offload");
    answer.is("/not_tried/0/reason", "there is no optimizer");
    answer.is("/not_tried/0/max_saved_bytes", GIB);
  }

  @Test
  void aRecordingOfTheChangedProgramShowsHowFarThePredictionIsOff() {
    AnswerFigures answer =
        AnswerFigures.of(
            answer(
                    new AdviseAnswer.Checked(
                        "changed.pickle", 32 * GIB, List.of("checkpoints"), 24 * GIB),
                    trial(40, 40, 4),
                    trial(24, 24, 8, "checkpoints"))
                .document(null));
    answer.is("/checked/reserved_bytes", 32 * GIB);
    answer.is("/checked/predicted_bytes", 24 * GIB);
    answer.is("/checked/error_ratio", -0.25);
    answer.says("Recorded: changed.pickle reserved 32.00 GiB; 24.00 GiB was predicted (-25.00 %).");
  }
}
