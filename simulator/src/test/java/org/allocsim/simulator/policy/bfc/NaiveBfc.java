package org.allocsim.simulator.policy.bfc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;

/**
 * BFC and ORT's arena once more, as their rules are written down: 21 bins that are searched one by
 * one, regions that are lists of chunks. Slow and plain, to compare with.
 */
final class NaiveBfc {
  private static final int BINS = 21;

  /** A chunk; free where it has no allocation. */
  private static final class Chunk {
    final long address;
    long bytes;
    Integer allocation;

    Chunk(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }
  }

  /** What differs between the two families. */
  enum Family {
    BFC,
    ORT_DOUBLING,
    ORT_SAME
  }

  private final Family family;
  private final long limit;
  private final boolean garbageCollection;
  private final DeviceMemory device;
  private final List<List<Chunk>> regions = new ArrayList<>();
  private final Map<Integer, Chunk> live = new HashMap<>();
  private long firstRegionAddress = -1;
  private long currRegion;
  private long pool;

  NaiveBfc(Family family, long limit, long currRegion, boolean gc, DeviceMemory device) {
    this.family = family;
    this.limit = limit;
    this.currRegion = currRegion;
    this.garbageCollection = gc;
    this.device = device;
  }

  private static long up(long bytes) {
    return (bytes + 255) / 256 * 256;
  }

  private static int bin(long bytes) {
    int bin = 0;
    while (bin < BINS - 1 && bytes >= 512L << bin) {
      bin++;
    }
    return bin;
  }

  /** The address, 0 for no bytes, −1 for out of memory. */
  long allocate(int allocation, long bytes) {
    if (bytes == 0) {
      return 0;
    }
    long rounded = up(bytes);
    Optional<Chunk> found = find(rounded);
    if (found.isEmpty() && extend(rounded)) {
      found = find(rounded);
    }
    if (found.isEmpty() && garbageCollection && collect(rounded) && extend(rounded)) {
      found = find(rounded);
    }
    if (found.isEmpty()) {
      return -1;
    }
    Chunk chunk = found.orElseThrow();
    if (chunk.bytes >= 2 * rounded || chunk.bytes - rounded >= 128L << 20) {
      List<Chunk> region = regionOf(chunk);
      region.add(
          region.indexOf(chunk) + 1, new Chunk(chunk.address + rounded, chunk.bytes - rounded));
      chunk.bytes = rounded;
    }
    chunk.allocation = allocation;
    live.put(allocation, chunk);
    return chunk.address;
  }

  private Optional<Chunk> find(long rounded) {
    for (int bin = bin(rounded); bin < BINS; bin++) {
      int wanted = bin;
      Optional<Chunk> best =
          regions.stream()
              .flatMap(List::stream)
              .filter(c -> c.allocation == null && bin(c.bytes) == wanted && c.bytes >= rounded)
              .min(Comparator.<Chunk>comparingLong(c -> c.bytes).thenComparingLong(c -> c.address));
      if (best.isPresent()) {
        return best;
      }
    }
    return Optional.empty();
  }

  private List<Chunk> regionOf(Chunk chunk) {
    return regions.stream().filter(region -> region.contains(chunk)).findFirst().orElseThrow();
  }

  private boolean extend(long rounded) {
    long available = (limit - pool) / 256 * 256;
    if (rounded > available) {
      return false;
    }
    long bytes = rounded;
    boolean grew = false;
    if (family != Family.ORT_SAME) {
      while (rounded > currRegion) {
        currRegion *= 2;
        grew = true;
      }
      bytes = Math.min(currRegion, available);
      if (family == Family.ORT_DOUBLING && !grew) {
        currRegion = currRegion < (1L << 30) / 2 ? currRegion * 2 : 1L << 30;
      }
    }
    long address = device.allocate(bytes);
    while (address == DeviceMemory.REFUSED) {
      long less = up((long) ((float) bytes * 0.9f));
      if (family == Family.BFC) {
        bytes = less < bytes ? less : bytes - 256;
      } else {
        bytes = less;
        if (bytes < 8192) {
          return false;
        }
      }
      if (bytes < rounded) {
        return false;
      }
      address = device.allocate(bytes);
    }
    if (family == Family.BFC && !grew) {
      currRegion *= 2;
    }
    pool += bytes;
    List<Chunk> region = new ArrayList<>(List.of(new Chunk(address, bytes)));
    firstRegionAddress = firstRegionAddress < 0 ? address : firstRegionAddress;
    regions.add(region);
    return true;
  }

  private boolean collect(long rounded) {
    long free =
        regions.stream()
            .filter(NaiveBfc::isFree)
            .flatMap(List::stream)
            .mapToLong(c -> c.bytes)
            .sum();
    if (free == 0 || rounded > limit - pool + free) {
      return false;
    }
    release(false);
    return true;
  }

  void shrink() {
    release(family == Family.ORT_DOUBLING);
    currRegion = 2L << 20;
  }

  private void release(boolean keepFirst) {
    List<List<Chunk>> leaving =
        regions.stream()
            .filter(region ->
                isFree(region) && !(keepFirst && region.getFirst().address == firstRegionAddress))
            .sorted(Comparator.comparingLong(region -> region.getFirst().address))
            .toList();
    for (List<Chunk> region : leaving) {
      regions.remove(region);
      long bytes = region.stream().mapToLong(c -> c.bytes).sum();
      device.free(region.getFirst().address, bytes);
      pool -= bytes;
    }
  }

  private static boolean isFree(List<Chunk> region) {
    return region.stream().allMatch(c -> c.allocation == null);
  }

  void free(int allocation) {
    Chunk chunk = live.remove(allocation);
    if (chunk == null) {
      return;
    }
    chunk.allocation = null;
    List<Chunk> region = regionOf(chunk);
    for (int i = region.size() - 2; i >= 0; i--) {
      if (region.get(i).allocation == null && region.get(i + 1).allocation == null) {
        region.get(i).bytes += region.remove(i + 1).bytes;
      }
    }
  }

  /** All chunks, one a line, by address. */
  String layout() {
    StringBuilder text = new StringBuilder();
    regions.stream()
        .sorted(Comparator.comparingLong(region -> region.getFirst().address))
        .forEach(region -> {
          text.append("region\n");
          region.forEach(
              c -> text.append("%x %d %s\n".formatted(c.address, c.bytes, c.allocation)));
        });
    return text.toString();
  }
}
