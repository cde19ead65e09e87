package org.allocsim.analysis.serving.kvcache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.workloads.model.LayerGroup;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Prefixes that only their own sequence can find again are not found before it was thrown out. A
 * cache that does not know whose they are is the truth: both answer alike, whatever is asked.
 */
class OwnPrefixTest {
  private static final int ROWS = 6;
  private static final int REQUESTS = 12;
  private static final int SHARED_BLOCKS = 3;
  private static final int STEPS = 20_000;
  private static final List<LayerGroup> LAYERS =
      List.of(new LayerGroup(2, 1 << 16, 0), new LayerGroup(3, 1 << 16, 40));

  private static PrefixHashes prefix(int request, boolean tells) {
    return new PrefixHashes() {
      @Override
      public long hash(int block) {
        return block < SHARED_BLOCKS
            ? request % 3 * 1000L + block
            : (request + 1) * 1_000_000L + block;
      }

      @Override
      public boolean isOwn(int block) {
        return tells && block >= SHARED_BLOCKS;
      }
    };
  }

  static Stream<Supplier<KvCache>> caches() {
    return Stream.of(
        () -> new PagedCache(LAYERS, 60L << 21, 16, 0),
        () -> new JengaCache(LAYERS, 60L << 21, 16),
        () ->
            new ElasticCache(
                LAYERS, 12L * 10 * ElasticCache.PAGE_BYTES, 16, new DriverWork(DriverCosts.NONE)));
  }

  @ParameterizedTest
  @MethodSource("caches")
  void whoseAPrefixIsChangesNoAnswer(Supplier<KvCache> made) {
    KvCache told = made.get();
    KvCache untold = made.get();
    SplittableRandom random = new SplittableRandom(49);
    int[] requestOf = new int[ROWS];
    int[] tokens = new int[ROWS];
    boolean[] runs = new boolean[REQUESTS];
    int found = 0;
    int refused = 0;
    for (int step = 0; step < STEPS; step++) {
      int row = random.nextInt(ROWS);
      if (tokens[row] == 0) {
        int request = random.nextInt(REQUESTS);
        if (runs[request]) {
          continue;
        }
        int count = random.nextInt(1, 300);
        int stored = untold.storedTokens(prefix(request, false), count - 1);
        assertEquals(stored, told.storedTokens(prefix(request, true), count - 1));
        found += stored > SHARED_BLOCKS * 16 ? 1 : 0;
        int now = Math.min(count, stored + 64);
        boolean begins = untold.begin(row, prefix(request, false), stored, now);
        assertEquals(begins, told.begin(row, prefix(request, true), stored, now));
        if (begins) {
          requestOf[row] = request;
          tokens[row] = now;
          runs[request] = true;
        } else {
          refused++;
        }
      } else if (random.nextInt(25) > 0) {
        int count = tokens[row] + random.nextInt(4);
        int room = count + random.nextInt(3);
        boolean grows = untold.grow(row, count, room);
        assertEquals(grows, told.grow(row, count, room));
        tokens[row] = grows ? count : tokens[row];
        refused += grows ? 0 : 1;
      } else {
        told.end(row, true);
        untold.end(row, true);
        tokens[row] = 0;
        runs[requestOf[row]] = false;
      }
      assertEquals(untold.heldBytes(), told.heldBytes());
      assertEquals(untold.wastedBytes(), told.wastedBytes());
      assertEquals(untold.strandedBytes(), told.strandedBytes());
      assertEquals(untold.keptPrefixBytes(), told.keptPrefixBytes());
      assertEquals(untold.mappedBytes(), told.mappedBytes());
    }
    assertTrue(found > 20, found + " sequences found tokens of their own");
    assertTrue(refused > 20, refused + " calls found no room");
  }
}
