package org.allocsim.simulator.policy.bfc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.bfc.OrtSettings.Strategy;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random requests on devices and under limits that are soon full: every address, device call and
 * chunk is that of a second implementation.
 */
class NaiveComparisonTest {
  private static final long MIB = 1L << 20;
  private static final int SEEDS = 30;
  private static final int REQUESTS = 400;

  enum Setting {
    GROWTH,
    GROWTH_GARBAGE_COLLECTION,
    PREALLOCATION,
    PREALLOCATION_GARBAGE_COLLECTION,
    ORT_DOUBLING,
    ORT_SAME
  }

  private int failures;
  private int regionsReturned;

  @ParameterizedTest
  @EnumSource(Setting.class)
  void everyDecisionIsThatOfThePlainModel(Setting setting) {
    for (int seed = 0; seed < SEEDS; seed++) {
      compare(setting, seed);
    }
    assertTrue(failures > 0, "no request failed");
    boolean returns = setting != Setting.GROWTH && setting != Setting.PREALLOCATION;
    assertEquals(returns, regionsReturned > 0);
  }

  private void compare(Setting setting, int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long limit = (64 + random.nextLong(2000)) * MIB + random.nextInt(1000);
    long capacity = random.nextBoolean() ? Long.MAX_VALUE : limit / 2 + random.nextLong(limit);
    ListedDevice device = new ListedDevice(capacity);
    ListedDevice naiveDevice = new ListedDevice(capacity);
    AllocatorPolicy policy = policy(setting, limit, device);
    NaiveBfc naive = naive(setting, limit, naiveDevice);
    List<Integer> live = new ArrayList<>();
    for (int request = 0; request < REQUESTS; request++) {
      String where = "%s, seed %d, request %d".formatted(setting, seed, request);
      int kind = random.nextInt(100);
      if (kind < 45 && !live.isEmpty()) {
        int index = random.nextInt(live.size());
        int allocation = live.set(index, live.getLast());
        live.removeLast();
        policy.free(allocation);
        naive.free(allocation);
      } else if (kind < 47 && setting.name().startsWith("ORT")) {
        policy.emptyCache();
        naive.shrink();
      } else {
        long bytes = bytes(random);
        long address = policy.allocate(request, bytes, 0, 0);
        assertEquals(naive.allocate(request, bytes), address, where);
        failures += address == AllocatorPolicy.OUT_OF_MEMORY ? 1 : 0;
        live.add(request);
      }
      if (request % 20 == 19) {
        assertEquals(naive.layout(), layout(policy), where);
      }
    }
    assertEquals(naiveDevice.calls, device.calls);
    regionsReturned += (int) device.calls.stream().filter(c -> c.startsWith("free")).count();
  }

  private static long bytes(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong(4096);
      case 1 -> random.nextLong(4 * MIB);
      case 2 -> (1L << random.nextInt(8, 28)) + random.nextInt(-1, 2);
      default -> random.nextLong(300 * MIB);
    };
  }

  private static AllocatorPolicy policy(Setting setting, long limit, ListedDevice device) {
    return switch (setting) {
      case GROWTH -> bfc(BfcSettings.growing(limit), device);
      case GROWTH_GARBAGE_COLLECTION ->
          bfc(BfcSettings.growing(limit).withGarbageCollection(true), device);
      case PREALLOCATION -> bfc(BfcSettings.preallocating(limit), device);
      case PREALLOCATION_GARBAGE_COLLECTION ->
          bfc(BfcSettings.preallocating(limit).withGarbageCollection(true), device);
      case ORT_DOUBLING -> ort(limit, Strategy.NEXT_POWER_OF_TWO, device);
      case ORT_SAME -> ort(limit, Strategy.SAME_AS_REQUESTED, device);
    };
  }

  private static AllocatorPolicy bfc(BfcSettings settings, ListedDevice device) {
    return new BfcAllocator(settings, device, EffectListeners.NONE);
  }

  private static AllocatorPolicy ort(long limit, Strategy strategy, ListedDevice device) {
    return new OrtArena(OrtSettings.defaults(limit, strategy, false), device, EffectListeners.NONE);
  }

  private static NaiveBfc naive(Setting setting, long limit, ListedDevice device) {
    long whole = (limit + 255) / 256 * 256;
    return switch (setting) {
      case GROWTH -> new NaiveBfc(NaiveBfc.Family.BFC, limit, 2 * MIB, false, device);
      case GROWTH_GARBAGE_COLLECTION ->
          new NaiveBfc(NaiveBfc.Family.BFC, limit, 2 * MIB, true, device);
      case PREALLOCATION -> new NaiveBfc(NaiveBfc.Family.BFC, limit, whole, false, device);
      case PREALLOCATION_GARBAGE_COLLECTION ->
          new NaiveBfc(NaiveBfc.Family.BFC, limit, whole, true, device);
      case ORT_DOUBLING -> new NaiveBfc(NaiveBfc.Family.ORT_DOUBLING, limit, MIB, false, device);
      case ORT_SAME -> new NaiveBfc(NaiveBfc.Family.ORT_SAME, limit, MIB, false, device);
    };
  }

  private static String layout(AllocatorPolicy policy) {
    StringBuilder text = new StringBuilder();
    policy.describeLayout(
        new LayoutVisitor() {
          @Override
          public void segment(
              long address, long bytes, int stream, boolean small, int pool, boolean expandable) {
            text.append("region\n");
          }

          @Override
          public void block(
              long address, long bytes, long requested, BlockState state, int allocation) {
            text.append(
                "%x %d %s\n"
                    .formatted(address, bytes, state == BlockState.INACTIVE ? null : allocation));
          }
        });
    return text.toString();
  }
}
