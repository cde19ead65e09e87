package org.allocsim.reports.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class LineBreaksTest {
  @Test
  void aNumberStaysTogetherWithItsGroupsAndItsUnit() {
    assertEquals(
        List.of("at request", "1 048", "(439.21 MiB),", "20 times"),
        LineBreaks.of("at request 1 048 (439.21 MiB), 20 times", 13));
  }

  @Test
  void theLongestWordIsTheMinimumWidthThatBreaksNone() {
    assertEquals(13, LineBreaks.longestWord("at request 1 048 (439.21 MiB), 20 times"));
  }

  @Test
  void aWordThatIsLongerThanALineBreaksAfterAMark() {
    assertEquals(
        List.of("pytorch(conf=", "expandable_", "segments:True)"),
        LineBreaks.of("pytorch(conf=expandable_segments:True)", 14));
  }
}
