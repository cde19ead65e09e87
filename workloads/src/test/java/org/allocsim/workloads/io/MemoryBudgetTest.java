package org.allocsim.workloads.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryBudgetTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final Pattern HEAP = Pattern.compile("ALLOCSIM_HEAP=(\\d+)g");

  private static long gibibytes(MemoryBudget budget, long storedBytes, long storedTotalBytes) {
    MemoryBudget.Excess excess = budget.excess(10 * storedBytes, storedBytes, storedTotalBytes);
    assertNotNull(excess);
    Matcher found = HEAP.matcher(excess.remedy());
    assertEquals(true, found.find(), excess.remedy());
    return Long.parseLong(found.group(1));
  }

  @ParameterizedTest
  @CsvSource({"100, 10000", "100, 150", "100, 100", "3000, 64000"})
  void theHeapThatIsNamedIsEnoughForTheWholeFile(long readMib, long wholeMib) {
    MemoryBudget small = new MemoryBudget(GIB);
    small.add(700 * MIB);
    long named = gibibytes(small, readMib * MIB, wholeMib * MIB);
    MemoryBudget whole = new MemoryBudget(named * GIB);
    whole.add(700 * MIB / readMib * wholeMib);
    assertNull(whole.excess(10 * wholeMib * MIB, wholeMib * MIB, wholeMib * MIB));
  }

  @Test
  void theHeapThatIsNamedIsNotFarAboveTheNeed() {
    MemoryBudget small = new MemoryBudget(GIB);
    small.add(700 * MIB);
    assertEquals(13, gibibytes(small, 100 * MIB, 1_000 * MIB));
  }

  @Test
  void aLargerHeapIsNamedWhereTheSizeOfTheFileIsUnknown() {
    MemoryBudget budget = new MemoryBudget(4 * GIB);
    budget.add(3 * GIB);
    assertEquals(9, gibibytes(budget, 100 * MIB, -1));
  }
}
