package org.allocsim.reports.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.reports.cli.CommandRun;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A page of more stacks than a browser can show has the largest of them, and says so. */
class ShownStacksTest {
  private static AllocationTrace trace(int stacks, long[] bytes) {
    StackTable.Builder table = new StackTable.Builder();
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (int i = 0; i < stacks; i++) {
      trace.at(0, i, table.stack(table.frame("train.py", i, "step" + i)));
      trace.allocate(bytes[i], 0, PoolId.DEFAULT);
    }
    return trace.build(table.build());
  }

  private static int[] rows(AllocationTrace trace) {
    int[] rows = new int[trace.eventCount()];
    for (int row = 0; row < rows.length; row++) {
      rows[row] = row;
    }
    return rows;
  }

  private static long[] bytes(int count) {
    long[] bytes = new long[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = 512L * (1 + i * 7919L % 1000);
    }
    return bytes;
  }

  private static StackColumns columns(AllocationTrace trace) {
    int[] rows = rows(trace);
    return StackColumns.of(trace.stacks(), rows, trace, ShownStacks.of(trace, rows));
  }

  @Test
  void asManyAsAreShownAreAllShown() {
    AllocationTrace trace = trace(ShownStacks.MOST, bytes(ShownStacks.MOST));
    StackColumns columns = columns(trace);
    assertEquals(ShownStacks.MOST, columns.stacks().size());
    assertEquals(ShownStacks.MOST, columns.frames().size());
  }

  @Test
  void ofMoreTheLargestAreShownAndTheOthersAreOne() {
    int count = ShownStacks.MOST + 5000;
    long[] bytes = bytes(count);
    AllocationTrace trace = trace(count, bytes);
    ShownStacks shown = ShownStacks.of(trace, rows(trace));
    int skipped = 0;
    long largestLeftOut = 0;
    long minShown = Long.MAX_VALUE;
    for (int row = 0; row < count; row++) {
      if (shown.isLeftOut(trace.stack(row))) {
        skipped++;
        largestLeftOut = Math.max(largestLeftOut, bytes[row]);
      } else {
        minShown = Math.min(minShown, bytes[row]);
      }
    }
    assertEquals(5000, skipped);
    assertTrue(largestLeftOut <= minShown, largestLeftOut + " " + minShown);
    StackColumns columns = columns(trace);
    assertEquals(ShownStacks.MOST + 1, columns.stacks().size());
    assertEquals(ShownStacks.MOST + 1, columns.frames().size());
    assertTrue(columns.frames().contains(ShownStacks.OTHERS));
  }

  @Test
  void thePageSaysThatStacksAreLeftOut(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("stacks.jsonl");
    try (Writer out = Files.newBufferedWriter(file)) {
      out.write("{\"allocsim\":\"trace\",\"version\":1}\n{\"op\":\"stream\",\"stream\":0}\n");
      for (int i = 0; i < ShownStacks.MOST + 100; i++) {
        out.write(
            "{\"op\":\"stack\",\"stack\":%d,\"frames\":[[\"train.py\",%d,\"step%d\"]]}\n"
                .formatted(i + 1, i, i));
        out.write(
            "{\"op\":\"alloc\",\"id\":%d,\"bytes\":%d,\"time_ns\":%d,\"stack\":%d}\n"
                .formatted(i, i < 100 ? 512 : 1024, i, i + 1));
      }
    }
    CommandRun run = CommandRun.of("view", file, "--report", folder.resolve("view"));
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    String page = Files.readString(folder.resolve("view/view.html"));
    assertTrue(page.contains(ShownStacks.OTHERS));
    assertFalse(page.contains("step99\""), "one that is left out");
    assertFalse(page.contains("step99 "), "one that is left out");
    assertTrue(page.contains("step" + (ShownStacks.MOST + 99)), "one that is shown");
  }
}
