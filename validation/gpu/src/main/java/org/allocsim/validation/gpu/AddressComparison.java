package org.allocsim.validation.gpu;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.apache.commons.math3.stat.correlation.KendallsCorrelation;
import org.jspecify.annotations.Nullable;

/**
 * Compares predicted with real addresses. Where a reservation of the driver lies differs from
 * process to process, as others use the address space too; what lies in it follows rules. So a
 * segment is compared relative to its reservation, whose first segment is the anchor; address
 * ranges and the pool of stream-ordered memory are compared relative to the first of them, those at
 * the arena relative to it.
 *
 * @param compared addresses that calls gave, without those of segments that only anchor
 * @param equalRelative those that lie where predicted, relative to their anchor
 * @param equalAbsolute those that are equal to the byte, anchors included, of all
 * @param anchors reservations, and one for address ranges
 * @param displacedAnchors reservations that lie elsewhere than predicted
 * @param rankAgreement Kendall's tau-b of predicted and real addresses of the first {@value
 *     #MAX_RANKED} calls, not a number for fewer than two addresses
 */
public record AddressComparison(
    long compared,
    long equalRelative,
    long equalAbsolute,
    long anchors,
    long displacedAnchors,
    double rankAgreement) {
  private static final int MAX_RANKED = 20_000;

  /** Key of address ranges among the regions; no reservation starts there. */
  private static final long RANGES = 1;

  /** Below lie reservations for ranges, above those for segments and the arena. */
  private static final long HIGH_ADDRESSES = 1L << 46;

  private static final int ARENA = 0;
  private static final int TOP = 1;
  private static final int BASE = 2;
  private static final int PLACES = 3;

  private static final class Region {
    private final long offset;
    private int blocks;

    Region(long offset) {
      this.offset = offset;
    }
  }

  /** Compares the calls before {@code end}, which are of the same kinds on both sides. */
  static AddressComparison of(
      List<LoggedCall> predicted, List<LoggedCall> measured, int end, long arenaAddress) {
    Map<Long, Region> regions = new HashMap<>();
    Map<Long, Long> regionOf = new HashMap<>();
    long compared = 0;
    long relative = 0;
    long absolute = 0;
    long anchors = 0;
    long displaced = 0;
    double[] ranked = new double[Math.min(end, MAX_RANKED)];
    double[] ranks = new double[ranked.length];
    int places = 0;
    for (int call = 0; call < end; call++) {
      PortCall kind = predicted.get(call).kind();
      long address = predicted.get(call).address();
      if (kind == PortCall.FREE) {
        forget(regions, regionOf.remove(address), arenaAddress);
      }
      if (!kind.places() || predicted.get(call).isRefused()) {
        continue;
      }
      long real = measured.get(call).address();
      long key =
          kind == PortCall.ALLOCATE
              ? predicted.get(call).region()
              : address >= HIGH_ADDRESSES ? arenaAddress : RANGES;
      Region region = regions.get(key);
      absolute += address == real ? 1 : 0;
      if (region == null) {
        region = new Region(real - address);
        regions.put(key, region);
        anchors++;
        displaced += address == real ? 0 : 1;
      } else {
        compared++;
        relative += real - address == region.offset ? 1 : 0;
      }
      if (kind == PortCall.ALLOCATE) {
        region.blocks++;
        regionOf.put(address, key);
      }
      if (places < ranked.length) {
        ranked[places] = address;
        ranks[places++] = real;
      }
    }
    double tau =
        places < 2
            ? Double.NaN
            : new KendallsCorrelation()
                .correlation(Arrays.copyOf(ranked, places), Arrays.copyOf(ranks, places));
    return new AddressComparison(compared, relative, absolute, anchors, displaced, tau);
  }

  /** A reservation whose last segment went is given back; only the arena stays. */
  private static void forget(Map<Long, Region> regions, @Nullable Long key, long arenaAddress) {
    if (key != null && key != arenaAddress) {
      Region region = regions.get(key);
      if (region != null && --region.blocks == 0) {
        regions.remove(key);
      }
    }
  }

  /**
   * The profile with the arena, the top of the address space and the base of ranges as a run shows
   * them: the first segment or range in the arena shows one, the first reservation for segments and
   * the first for ranges the others. Unchanged where the run shows none or they contradict the
   * profile's rules.
   */
  static DeviceProfile learn(
      DeviceProfile profile, List<LoggedCall> predicted, List<LoggedCall> measured, int end) {
    long localAddress = profile.localMemoryAddress();
    long[] offsets = new long[PLACES];
    boolean[] known = new boolean[PLACES];
    for (int call = 0; call < end; call++) {
      if (!predicted.get(call).kind().places() || predicted.get(call).isRefused()) {
        continue;
      }
      int place = place(profile, localAddress, predicted, call);
      if (!known[place]) {
        known[place] = true;
        offsets[place] = measured.get(call).address() - predicted.get(call).address();
      }
    }
    if (!known[ARENA]) {
      offsets[ARENA] = offsets[TOP];
    }
    if (!known[TOP]) {
      offsets[TOP] = offsets[ARENA];
    }
    try {
      return profile
          .withAddresses(
              profile.arenaAddress() + offsets[ARENA], profile.topAddress() + offsets[TOP])
          .withRangeAddress(profile.rangeAddress() + offsets[BASE]);
    } catch (IllegalArgumentException _) {
      return profile;
    }
  }

  private static int place(
      DeviceProfile profile, long localAddress, List<LoggedCall> predicted, int call) {
    if (predicted.get(call).address() < HIGH_ADDRESSES) {
      return BASE;
    }
    if (predicted.get(call).kind() != PortCall.ALLOCATE) {
      return ARENA;
    }
    long region = predicted.get(call).region();
    return region == profile.arenaAddress() || region == localAddress ? ARENA : TOP;
  }
}
