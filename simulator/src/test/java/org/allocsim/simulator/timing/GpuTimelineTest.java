package org.allocsim.simulator.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuTimelineTest {
  private final List<String> passed = new ArrayList<>();

  private GpuTimeline gpu(int streams) {
    return new GpuTimeline(streams, 64, (tag, nanos) -> passed.add(tag + "@" + nanos));
  }

  @Test
  void aStreamDoesItsWorkInOrderAndNotBeforeItWasQueued() {
    GpuTimeline gpu = gpu(1);
    gpu.work(0, GpuTimeline.COMPUTE, 10, 100);
    gpu.work(0, GpuTimeline.COMPUTE, 10, 101);
    assertEquals(120, gpu.finish(0));
    gpu.work(0, GpuTimeline.COMPUTE, 10, 500);
    assertEquals(510, gpu.finish(0));
  }

  @Test
  void kernelsOfTwoStreamsTakeTurnsAndCopiesRunBeside() {
    GpuTimeline gpu = gpu(3);
    gpu.work(0, GpuTimeline.COMPUTE, 100, 0);
    gpu.work(1, GpuTimeline.COMPUTE, 100, 1);
    gpu.work(2, GpuTimeline.TO_DEVICE, 30, 2);
    assertEquals(32, gpu.finish(2));
    assertEquals(100, gpu.finish(0));
    assertEquals(200, gpu.finish(1));
  }

  @Test
  void whatIsReadyFirstIsServedFirst() {
    GpuTimeline gpu = gpu(3);
    gpu.work(0, GpuTimeline.COMPUTE, 100, 0);
    gpu.work(1, GpuTimeline.TO_DEVICE, 50, 0);
    gpu.work(1, GpuTimeline.COMPUTE, 10, 0);
    gpu.work(2, GpuTimeline.COMPUTE, 10, 40);
    assertEquals(110, gpu.finish(2));
    assertEquals(120, gpu.finish(1));
  }

  @Test
  void aStreamWaitsForTheLastRecordingOfAnEvent() {
    GpuTimeline gpu = gpu(2);
    gpu.work(0, GpuTimeline.COMPUTE, 100, 0);
    gpu.record(0, 7, 0);
    gpu.await(1, 7, 0);
    gpu.work(0, GpuTimeline.TO_HOST, 100, 0);
    gpu.record(0, 7, 0);
    gpu.work(1, GpuTimeline.COMPUTE, 1, 0);
    assertEquals(101, gpu.finish(1));
    assertEquals(200, gpu.finishEvent(7));
  }

  @Test
  void waitingForAnEventThatWasNeverRecordedIsNoWait() {
    GpuTimeline gpu = gpu(1);
    gpu.await(0, 3, 5);
    gpu.work(0, GpuTimeline.COMPUTE, 1, 5);
    assertEquals(6, gpu.finish(0));
    assertEquals(0, gpu.finishEvent(3));
  }

  @Test
  void marksPassInTheOrderOfTheirMoments() {
    GpuTimeline gpu = gpu(2);
    gpu.work(0, GpuTimeline.COMPUTE, 50, 0);
    gpu.mark(0, 1, 0);
    gpu.work(1, GpuTimeline.TO_HOST, 20, 0);
    gpu.mark(1, 2, 0);
    gpu.advanceTo(19);
    assertEquals(List.of(), passed);
    gpu.advanceTo(20);
    assertEquals(List.of("2@20"), passed);
    assertEquals(50, gpu.finishTagged());
    assertEquals(List.of("2@20", "1@50"), passed);
  }

  @Test
  void busyTimeCountsWhatRunsAtTheMoment() {
    GpuTimeline gpu = gpu(1);
    gpu.work(0, GpuTimeline.COMPUTE, 100, 50);
    gpu.advanceTo(90);
    assertEquals(40, gpu.busyNanos(GpuTimeline.COMPUTE, 90));
    gpu.finish(0);
    assertEquals(100, gpu.busyNanos(GpuTimeline.COMPUTE, 150));
  }

  /** One piece of work of the naive model. */
  private record Piece(int stream, int engine, long nanos, long hostNanos, int event, long order) {}

  /**
   * Finds all moments by looking, nanosecond by nanosecond, at what can begin: a second opinion
   * with nothing in common.
   */
  private static Map<Long, Long> naiveEnds(int streams, List<Piece> pieces) {
    List<Deque<Piece>> queues = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      queues.add(new ArrayDeque<>());
    }
    Map<Long, Long> awaitedOrder = new HashMap<>();
    Map<Integer, Long> lastRecording = new HashMap<>();
    for (Piece piece : pieces) {
      queues.get(piece.stream()).add(piece);
      if (piece.engine() == 3) {
        lastRecording.put(piece.event(), piece.order());
      } else if (piece.engine() == 4) {
        awaitedOrder.put(piece.order(), lastRecording.getOrDefault(piece.event(), -1L));
      }
    }
    Map<Long, Long> ends = new HashMap<>();
    Map<Long, Long> readySince = new HashMap<>();
    Piece[] running = new Piece[3];
    long[] until = new long[3];
    for (long now = 0; ends.size() < pieces.size(); now++) {
      for (int engine = 0; engine < 3; engine++) {
        if (running[engine] != null && until[engine] == now) {
          ends.put(running[engine].order(), now);
          queues.get(running[engine].stream()).remove();
          running[engine] = null;
        }
      }
      boolean changed = true;
      while (changed) {
        changed = false;
        for (Deque<Piece> queue : queues) {
          Piece piece = queue.peek();
          if (piece == null || piece.hostNanos() > now) {
            continue;
          }
          boolean passes =
              piece.engine() == 3
                  || (piece.engine() == 4
                      && (awaitedOrder.get(piece.order()) < 0
                          || ends.containsKey(awaitedOrder.get(piece.order()))));
          if (passes) {
            ends.put(piece.order(), now);
            queue.remove();
            changed = true;
          } else if (piece.engine() < 3) {
            readySince.putIfAbsent(piece.order(), now);
          }
        }
      }
      for (int engine = 0; engine < 3; engine++) {
        int wanted = engine;
        if (running[engine] != null) {
          continue;
        }
        Piece first =
            queues.stream()
                .map(Deque::peek)
                .filter(piece -> piece != null && piece.engine() == wanted)
                .filter(piece -> readySince.containsKey(piece.order()))
                .min(
                    Comparator.comparingLong((Piece piece) -> readySince.get(piece.order()))
                        .thenComparingLong(Piece::order))
                .orElse(null);
        if (first != null) {
          running[engine] = first;
          until[engine] = now + first.nanos();
        }
      }
    }
    return ends;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void randomWorkEndsWhenALookAtEveryNanosecondSaysSo(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int streams = random.nextInt(1, 5);
    List<Piece> pieces = new ArrayList<>();
    long host = 0;
    // Odd times for the host and even lengths of work keep two things from happening at once.
    for (int i = 0; i < 300; i++) {
      host += random.nextInt(0, 20);
      int kind = random.nextInt(0, 8);
      int engine = kind < 5 ? kind % 3 : kind < 7 ? 3 : 4;
      pieces.add(
          new Piece(
              random.nextInt(streams),
              engine,
              random.nextInt(1, 40),
              host,
              random.nextInt(0, 4),
              i));
    }
    long[] marks = new long[pieces.size()];
    Arrays.fill(marks, -1);
    GpuTimeline gpu = new GpuTimeline(streams, 4, (tag, nanos) -> marks[tag] = nanos);
    for (Piece piece : pieces) {
      gpu.advanceTo(piece.hostNanos());
      switch (piece.engine()) {
        case 3 -> gpu.record(piece.stream(), piece.event(), piece.hostNanos());
        case 4 -> gpu.await(piece.stream(), piece.event(), piece.hostNanos());
        default -> gpu.work(piece.stream(), piece.engine(), piece.nanos(), piece.hostNanos());
      }
      gpu.mark(piece.stream(), (int) piece.order(), piece.hostNanos());
    }
    gpu.finishAll();
    Map<Long, Long> naive = naiveEnds(streams, pieces);
    long[] expected = new long[pieces.size()];
    for (Piece piece : pieces) {
      expected[(int) piece.order()] = naive.get(piece.order());
    }
    assertEquals(Arrays.toString(expected), Arrays.toString(marks));
  }
}
