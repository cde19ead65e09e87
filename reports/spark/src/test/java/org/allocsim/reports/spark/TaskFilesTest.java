package org.allocsim.reports.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.allocsim.analysis.fleet.sweep.FleetFile;
import org.junit.jupiter.api.Test;

final class TaskFilesTest {
  private static final int CORES = 16;

  /** Files whose sizes are as skewed as those of a fleet: few hold most of the bytes. */
  private static List<FleetFile> skewed(int count) {
    Random random = new Random(1);
    List<FleetFile> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long bytes = (long) (20_000 / Math.pow(1 - random.nextDouble(), 1 / 1.2));
      files.add(new FleetFile("trace" + i, Math.min(bytes, 40_000_000), 0));
    }
    return files;
  }

  private static long cost(TaskFiles task) {
    return task.files().stream().mapToLong(FleetFile::bytes).sum();
  }

  /** When the last core is done, each taking the next task when it is free, as Spark does it. */
  private static long end(List<TaskFiles> tasks) {
    PriorityQueue<Long> free = new PriorityQueue<>();
    for (int i = 0; i < CORES; i++) {
      free.add(0L);
    }
    tasks.forEach(task -> free.add(free.remove() + cost(task)));
    return free.stream().mapToLong(Long::longValue).max().orElseThrow();
  }

  @Test
  void everyTraceIsInOneTask() {
    List<FleetFile> files = skewed(5000);
    List<FleetFile> spread =
        TaskFiles.balance(files, CORES).stream().flatMap(task -> task.files().stream()).toList();
    assertEquals(
        files.stream().sorted(FleetFile.LARGEST_FIRST).toList(),
        spread.stream().sorted(FleetFile.LARGEST_FIRST).toList());
  }

  @Test
  void largeTracesAreTasksOfTheirOwnAndBeginFirst() {
    List<TaskFiles> tasks = TaskFiles.balance(skewed(5000), CORES);
    assertEquals(1, tasks.getFirst().files().size());
    assertTrue(tasks.size() >= CORES * 16, tasks.size() + " tasks");
    assertTrue(tasks.stream().allMatch(task -> task.files().size() <= 64));
    List<Long> largest = tasks.stream().map(task -> task.files().getFirst().bytes()).toList();
    assertEquals(largest.stream().sorted(Comparator.reverseOrder()).toList(), largest);
  }

  @Test
  void skewedSizesKeepAllCoresBusyToTheEnd() {
    List<FleetFile> files = skewed(5000);
    List<TaskFiles> tasks = TaskFiles.balance(files, CORES);
    long ideal =
        Math.max(
            files.stream().mapToLong(FleetFile::bytes).max().orElseThrow(),
            files.stream().mapToLong(FleetFile::bytes).sum() / CORES);
    assertTrue(end(tasks) <= 1.02 * ideal, end(tasks) + " beside " + ideal);
    // In the order of names the same tasks would not.
    List<TaskFiles> asGiven = files.stream().map(file -> new TaskFiles(List.of(file))).toList();
    assertTrue(end(asGiven) > end(tasks), end(asGiven) + " beside " + end(tasks));
  }
}
