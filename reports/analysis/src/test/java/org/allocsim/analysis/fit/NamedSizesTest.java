package org.allocsim.analysis.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Batches that file names say. */
class NamedSizesTest {
  @Test
  void theNumberInWhichNamesDifferIsTheSize() {
    assertEquals(
        Optional.of(List.of(8.0, 16.0)),
        NamedSizes.of(List.of("gpt2/b8.pickle", "gpt2/b16.pickle")));
  }

  @Test
  void namesThatDifferOtherwiseSayNothing() {
    for (List<String> names :
        List.of(
            List.of("a8", "b16"),
            List.of("a8", "a8"),
            List.of("a", "a"),
            List.of("a8-1", "a16-2"),
            List.of("a8", "a16", "a08"))) {
      assertEquals(Optional.empty(), NamedSizes.of(names), names.toString());
    }
  }
}
