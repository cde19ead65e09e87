package org.allocsim.reports.answer.colocate;

import static org.allocsim.reports.answer.SmallProgram.MIB;

import java.util.List;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.AnswerFigures;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.tuning.ColocateQuestion;
import org.allocsim.reports.question.tuning.SharedProcess;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.run.AfterOom;
import org.junit.jupiter.api.Test;

/**
 * The small program twice on one GPU, the second time when the first is done. Each has a context of
 * 300 MiB; the first also has 16 MiB of libraries.
 */
class ColocateAnswerTest {
  private static final long CONTEXT_BYTES = 300 * MIB;
  private static final long OTHER_BYTES = 16 * MIB;
  private static final long SECOND = 1_000_000_000;

  /** Without times a row takes a nanosecond; the largest request is the sixth row. */
  private static final double LAST_SECONDS = 5e-9;

  /** What the first holds when it is done: all but 1 KiB of its segments is cached. */
  private static final long FIRST_BYTES = CONTEXT_BYTES + OTHER_BYTES + SmallProgram.RESERVED_BYTES;

  /** What the second needs: it gives its segment of 30 MiB back before its last request fails. */
  private static final long SECOND_BYTES = CONTEXT_BYTES + SmallProgram.NEEDED_BYTES;

  private static AnswerFigures figures(long gpuBytes, boolean firstExits) {
    SharedProcess first =
        new SharedProcess("first", null, CONTEXT_BYTES, OTHER_BYTES, 0L, firstExits, null);
    SharedProcess second = new SharedProcess("second", null, CONTEXT_BYTES, 0, SECOND, false, null);
    ColocateQuestion question =
        new ColocateQuestion(
            List.of(first, second),
            DeviceProfiles.ofCapacity(gpuBytes),
            false,
            AfterOom.CONTINUE,
            true,
            true);
    Asked asked =
        new Asked(
            List.of(
                SmallProgram.ending(32 * MIB, Conditions.RECORDED),
                SmallProgram.ending(32 * MIB, Conditions.RECORDED)));
    return AnswerFigures.of(question.document(question.ask(asked)));
  }

  @Test
  void whatTheFirstCachesIsStillHeldAtTheCombinedPeak() {
    AnswerFigures answer = figures(1024 * MIB, false);
    answer.is("/passes", true);
    answer.is("/peak_bytes", FIRST_BYTES + CONTEXT_BYTES + SmallProgram.RESERVED_BYTES);
    answer.is("/peak_seconds", 1 + LAST_SECONDS);
    answer.is("/at_peak/0/context_bytes", CONTEXT_BYTES);
    answer.is("/at_peak/0/other_bytes", OTHER_BYTES);
    answer.is("/at_peak/0/allocated_bytes", 1024);
    answer.is("/at_peak/0/cached_bytes", SmallProgram.RESERVED_BYTES - 1024);
    answer.is("/at_peak/0/driver_bytes", 0);
    answer.is("/at_peak/0/held_bytes", FIRST_BYTES);
    answer.is("/at_peak/1/other_bytes", 0);
    answer.is("/at_peak/1/allocated_bytes", SmallProgram.ALLOCATED_BYTES);
    answer.is("/at_peak/1/held_bytes", CONTEXT_BYTES + SmallProgram.RESERVED_BYTES);
    answer.has("/first_failure", 0);
    answer.says("All 2 processes fit on capacity; 240.00 MiB of 1.00 GiB stays free.");
  }

  @Test
  void aProcessThatExitsGivesAllOfItsMemoryBack() {
    AnswerFigures answer = figures(1024 * MIB, true);
    answer.is("/peak_bytes", FIRST_BYTES);
    answer.is("/peak_seconds", LAST_SECONDS);
    answer.is("/at_peak/1/held_bytes", 0);
    answer.is("/processes/0/exits", true);
    answer.is("/processes/0/at_end/0/held_bytes", FIRST_BYTES);
    answer.is("/processes/1/at_end/0/held_bytes", CONTEXT_BYTES + SmallProgram.RESERVED_BYTES);
    // Alone, each gives its cache back before it fails; the first also has its libraries.
    answer.is("/smallest_gpu_bytes", OTHER_BYTES + SECOND_BYTES);
  }

  @Test
  void theSmallestGpuHoldsWhatOneCachesAndTheOtherNeeds() {
    figures(1024 * MIB, false).is("/smallest_gpu_bytes", FIRST_BYTES + SECOND_BYTES);
    figures(FIRST_BYTES + SECOND_BYTES, false).is("/passes", true);
  }

  @Test
  void theFirstFailureHasWhoHoldsTheMemory() {
    AnswerFigures answer = figures(FIRST_BYTES + SECOND_BYTES - 2 * MIB, false);
    answer.is("/passes", false);
    answer.is("/processes/0/failed_requests", 0);
    answer.is("/processes/1/failed_requests", 1);
    answer.is("/processes/1/outcome", "1 failed");
    answer.is("/processes/1/retries", 1);
    answer.is("/first_failure/0/process", "second");
    answer.is("/first_failure/0/at_seconds", 1 + LAST_SECONDS);
    answer.is("/first_failure/0/request", 4);
    answer.is("/first_failure/0/requested_bytes", 32 * MIB);
    answer.is("/first_failure/0/free_bytes", 30 * MIB);
    answer.is("/first_failure/0/holdings/0/held_bytes", FIRST_BYTES);
    // Segments of 20 and 2 MiB are left of the second.
    answer.is("/first_failure/0/holdings/1/held_bytes", CONTEXT_BYTES + 22 * MIB);
  }

  @Test
  void aLimitThatMakesTheFirstGiveItsCacheBackLetsBothRun() {
    AnswerFigures answer = figures(FIRST_BYTES + SECOND_BYTES - 2 * MIB, false);
    answer.is("/processes/0/min_limit_bytes", SmallProgram.NEEDED_BYTES);
    answer.is("/processes/0/max_limit_bytes", SmallProgram.RESERVED_BYTES - 2 * MIB);
    // Whatever the second may have, the first leaves it too little.
    answer.isMissing("/processes/1/min_limit_bytes");
    answer.isMissing("/processes/1/max_limit_bytes");
  }
}
