package org.allocsim.workloads.source;

import java.util.Arrays;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.profile.ShippedProfiles;

/**
 * The size of a recorded GPU from its expandable segments: each reserves addresses for nine eighths
 * of the memory, in whole pages of its pool (PyTorch 2.1 to 2.14), and the driver places such
 * ranges one after the other in units of 32 MiB (driver 580). So the distance of two neighbours is
 * a function of the size.
 */
public final class ReservedRanges {
  /** Pages of the small and the large pool (PyTorch 2.11). */
  private static final long[] PAGE_BYTES = {2L << 20, 20L << 20};

  private ReservedRanges() {}

  /**
   * The size of the GPU, of all devices of a snapshot.
   *
   * @return empty where no two ranges are known, or their distance is that of no known GPU
   */
  public static OptionalLong totalBytes(Snapshot snapshot) {
    for (DeviceHistory device : snapshot.devices()) {
      long distance = smallestDistance(device.effects());
      OptionalLong total =
          distance < 0
              ? OptionalLong.empty()
              : LongStream.concat(
                      LongStream.of(DeviceProfiles.defaultProfile().totalBytes()),
                      ShippedProfiles.all().stream().mapToLong(DeviceProfile::totalBytes))
                  .filter(each -> isDistance(distance, each))
                  .findFirst();
      if (total.isPresent()) {
        return total;
      }
    }
    return OptionalLong.empty();
  }

  private static boolean isDistance(long distance, long totalBytes) {
    return Arrays.stream(PAGE_BYTES).anyMatch(page -> distance == distance(totalBytes, page));
  }

  /** How far two neighbours are apart on a GPU of this size. */
  static long distance(long totalBytes, long pageBytes) {
    return roundUp(
        roundUp(totalBytes + totalBytes / 8, pageBytes), DeviceProfile.RESERVATION_BYTES);
  }

  private static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  /** Of the starts of ranges in which pages were mapped without a gap; −1 without two of them. */
  private static long smallestDistance(EffectLog effects) {
    TreeMap<Long, Long> ends = new TreeMap<>();
    for (int i = 0; i < effects.otherCount(); i++) {
      int row = effects.otherRow(i);
      if (effects.kind(row) == EffectKind.SEGMENT_MAP) {
        ends.merge(effects.address(row), effects.address(row) + effects.bytes(row), Math::max);
      }
    }
    long smallest = -1;
    long start = Long.MIN_VALUE;
    long end = Long.MIN_VALUE;
    for (var range : ends.entrySet()) {
      if (range.getKey() > end) {
        long distance = range.getKey() - start;
        if (start != Long.MIN_VALUE && (smallest < 0 || distance < smallest)) {
          smallest = distance;
        }
        start = range.getKey();
      }
      end = Math.max(end, range.getValue());
    }
    return smallest;
  }
}
