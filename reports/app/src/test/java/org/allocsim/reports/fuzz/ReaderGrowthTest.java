package org.allocsim.reports.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.allocsim.simulator.growth.StepCountingLoader;
import org.allocsim.simulator.growth.Steps;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How the work of each reader, with what it derives, grows with its input over three decades: no
 * faster than n log n. Work is counted in branches, calls and elements copied by the project's own
 * code, so that the machine does not matter; what libraries do is one call.
 */
class ReaderGrowthTest {
  private static final int FIRST_ROWS = 24;
  private static final int DECADES = 3;

  /** Ten times the square of a decade's growth would be 6 to 8 of n log n. */
  private static final double MAX_GROWTH = 2.5;

  /** Refused at the first word, or at the length. */
  private static final Set<GrowingInput> AT_ONCE =
      EnumSet.of(
          GrowingInput.ANY_LINES,
          GrowingInput.POLICY_NESTED,
          GrowingInput.POLICY_OPTIONS,
          GrowingInput.PROGRAM_OPTIONS,
          GrowingInput.SIZE_DIGITS,
          GrowingInput.TORCH_VERSION_DIGITS);

  private static StepCountingLoader loader;
  private static MethodHandle steps;

  @BeforeAll
  static void load() throws ReflectiveOperationException {
    loader = new StepCountingLoader("org.allocsim.");
    steps =
        MethodHandles.lookup()
            .findStatic(
                loader.loadClass(CountedReading.class.getName()),
                "steps",
                MethodType.methodType(long.class, String.class, byte[].class, long.class));
  }

  @ParameterizedTest
  @EnumSource(GrowingInput.class)
  void workGrowsNoFasterThanSorting(GrowingInput input) throws Throwable {
    List<Long> counts = new ArrayList<>();
    long most = Long.MAX_VALUE;
    int rows = FIRST_ROWS;
    // What is made once, when it is first needed, does not grow.
    count(input, rows, most);
    for (int decade = 0; decade <= DECADES; decade++) {
      try {
        long count = count(input, rows, most);
        counts.add(count);
        most = (long) (MAX_GROWTH * count * sorting(10 * rows) / sorting(rows));
      } catch (Steps.Exceeded e) {
        fail(input + " of " + rows + " rows: more than " + most + " steps, after " + counts);
      }
      rows *= 10;
    }
    assertEquals(AT_ONCE.contains(input), counts.getLast() < rows / 10, () -> input + " " + counts);
  }

  @Test
  void everyReaderIsMeasured() {
    Set<FuzzTarget> measured =
        Arrays.stream(GrowingInput.values())
            .map(GrowingInput::target)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(FuzzTarget.class)));
    // Inputs with structure reach readers that are measured by themselves.
    assertEquals(EnumSet.complementOf(EnumSet.of(FuzzTarget.STRUCTURE)), measured);
  }

  private static double sorting(int rows) {
    return rows * Math.log(rows);
  }

  private static long count(GrowingInput input, int rows, long most) throws Throwable {
    byte[] bytes = input.text(rows).getBytes(StandardCharsets.ISO_8859_1);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(loader);
    try {
      return (long) steps.invokeExact(input.target().name(), bytes, most);
    } finally {
      Steps.stop();
      Thread.currentThread().setContextClassLoader(before);
    }
  }
}
