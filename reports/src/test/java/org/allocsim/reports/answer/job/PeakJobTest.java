package org.allocsim.reports.answer.job;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.job.JobBalance;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.moment.Grouping;
import org.allocsim.reports.question.moment.PeakQuestion;
import org.junit.jupiter.api.Test;

class PeakJobTest {
  private static Ranked<PeakJob.Row> rank(int number, long lastBytes) {
    String file = "rank" + number + ".pickle";
    Asked asked = new Asked(List.of(SmallProgram.ending(lastBytes, Conditions.RECORDED)));
    return new Ranked<>(
        new Rank(number, null, Path.of(file), file),
        new PeakJob().keep(new PeakQuestion(Grouping.USUAL, CategoryRules.NONE).ask(asked)));
  }

  @Test
  void aRowHasTheFiguresOfTheSingleAnswer() {
    PeakJob.Row row = rank(0, 32 * MIB).found();
    assertEquals(4, row.requestIndex());
    assertEquals(SmallProgram.RESERVED_BYTES, row.peak().reservedBytes());
    assertEquals(SmallProgram.ALLOCATED_BYTES, row.peak().allocatedBytes());
  }

  @Test
  void theFullestRankIsFound() {
    JobBalance balance =
        new PeakJob().fold(List.of(rank(0, 32 * MIB), rank(1, 40 * MIB), rank(2, 32 * MIB)));
    assertEquals(1, balance.highest().rank().number());
    assertEquals(SmallProgram.RESERVED_BYTES + 8 * MIB, balance.highest().found().reservedBytes());
    assertEquals(SmallProgram.RESERVED_BYTES, balance.lowest().found().reservedBytes());
    assertEquals(SmallProgram.RESERVED_BYTES, balance.medianBytes());
  }
}
