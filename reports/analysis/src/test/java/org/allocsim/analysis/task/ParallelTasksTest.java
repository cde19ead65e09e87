package org.allocsim.analysis.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParallelTasksTest {
  private static final int CORES = Runtime.getRuntime().availableProcessors();
  private static final ParallelTasks.Progress SILENT = (_, _) -> {};

  @Test
  void resultsAreInTheOrderOfTheTasks() {
    List<Callable<Integer>> tasks = new ArrayList<>();
    IntStream.range(0, 100).forEach(task -> tasks.add(() -> task));
    List<Integer> heard = Collections.synchronizedList(new ArrayList<>());
    assertEquals(
        IntStream.range(0, 100).boxed().toList(),
        ParallelTasks.run(tasks, (done, _) -> heard.add(done)));
    assertEquals(IntStream.rangeClosed(1, 100).boxed().toList(), heard);
  }

  /** Whoever asks for it. */
  @Test
  void noMoreTasksAreUnderWayThanThereAreCores() throws InterruptedException {
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(CORES);
    CountDownLatch go = new CountDownLatch(1);
    Callable<Integer> task =
        () -> {
          most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
          begun.countDown();
          go.await();
          return underWay.decrementAndGet();
        };
    List<Supplier<?>> results = new ArrayList<>();
    for (int i = 0; i < 4 * CORES; i++) {
      results.add(ParallelTasks.beside(task));
    }
    results.add(ParallelTasks.beside(() -> ParallelTasks.run(List.of(task, task), SILENT)));
    begun.await();
    // What begins too early does so within this time on any machine that runs tests.
    Thread.sleep(100);
    go.countDown();
    for (Supplier<?> result : results) {
      assertNotNull(result.get());
    }
    assertEquals(CORES, most.get());
    assertEquals(0, underWay.get());
  }

  @Test
  void tasksThatWaitLetOthersBegin() {
    assertEquals(3 * CORES, depth(3 * CORES));
    // No core was lost by that.
    noneIsLost();
  }

  private static int depth(int left) {
    return left == 0 ? 0 : 1 + ParallelTasks.beside(() -> depth(left - 1)).get();
  }

  private static void noneIsLost() {
    CountDownLatch all = new CountDownLatch(CORES);
    Callable<Boolean> meet =
        () -> {
          all.countDown();
          all.await();
          return true;
        };
    assertTrue(
        ParallelTasks.run(Collections.nCopies(CORES, meet), SILENT).stream()
            .allMatch(Boolean::booleanValue));
  }

  @Test
  void tasksThatFailGiveTheirCoreBack() {
    Supplier<Object> failed =
        ParallelTasks.beside(() -> {
          throw new IllegalArgumentException("on purpose");
        });
    assertEquals(
        "on purpose", assertThrows(IllegalArgumentException.class, failed::get).getMessage());
    noneIsLost();
  }
}
