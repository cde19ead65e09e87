package org.allocsim.simulator.device.simulated;

import java.util.OptionalLong;
import java.util.function.IntToLongFunction;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.AddressHistory.Change;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;

/**
 * Learns from the segments of a recorded process what else used its address space.
 *
 * <p>The recorded segments are put, one after the other, where the driver's rules would put them.
 * Where the recording has another place, something that it does not show was in the way, or had
 * gone, and is noted for the request that needed the segment:
 *
 * <ul>
 *   <li>A place that the rules prefer was taken: a hole so far that the segment no longer fits, a
 *       gap between reservations as a whole.
 *   <li>The segment lies where something hidden was: it was given back. In the local memory of the
 *       bare context: kernels run.
 *   <li>The segment lies where no reservation would have been made: it is a hole in one that
 *       something hidden keeps.
 * </ul>
 *
 * <p>A replay of the same requests under the same settings with this history has every segment at
 * the recorded place, as long as the recording can be explained; after a segment that cannot be,
 * the history ends.
 */
public final class AddressHistoryFinder {
  /** Changes of a process; what needs more is not explained by them. */
  private static final int MAX_CHANGES = 1 << 16;

  /** Largest segment, beyond any device. */
  private static final long MAX_BYTES = 1L << 44;

  /** Streams in a pool of PyTorch (c10/cuda/CUDAStream.cpp, 2.11). */
  private static final int STREAM_POOL = 32;

  private final AddressHistory.Builder history = new AddressHistory.Builder();
  private final DeviceProfile profile;
  private final RawHeap heap;
  private final long unitBytes;

  /** Reservations that were given back, the last one at each address. */
  private final AddressTable returned = new AddressTable();

  /** Number of the allocation request that comes next. */
  private long request;

  /** Whether the first segment was seen. */
  private boolean anchored;

  /** Of recorded addresses from those of the profile. */
  private long distance;

  /** That distance as the arena shows it; empty where no segment lies there. */
  private OptionalLong arenaDistance = OptionalLong.empty();

  /** Whether the local memory has moved. */
  private boolean grown;

  private AddressHistoryFinder(DeviceProfile profile) {
    this.profile = profile;
    heap = new RawHeap(profile);
    unitBytes = profile.reservationBytes();
  }

  /**
   * The history of a process that was recorded from its start.
   *
   * @param effects what its allocator did
   * @param streamHandle handle of a stream with this number, 0 for the default stream
   * @return an unknown history where the recording shows no segment of {@code cudaMalloc}, or the
   *     first one lies where no process has it
   */
  public static AddressHistory find(EffectLog effects, IntToLongFunction streamHandle) {
    AddressHistoryFinder finder = new AddressHistoryFinder(DeviceProfiles.defaultProfile());
    finder.follow(effects, streamHandle);
    return finder.history.build();
  }

  private void follow(EffectLog effects, IntToLongFunction streamHandle) {
    boolean streams = false;
    boolean explained = true;
    arenaDistance = distanceOfArena(effects);
    for (int row = 0; row < effects.count() && explained; row++) {
      EffectKind kind = effects.kind(row);
      if (!streams
          && (kind == EffectKind.SEGMENT_ALLOC || kind == EffectKind.ALLOC)
          && streamHandle.applyAsLong(effects.stream(row)) != 0) {
        streams = true;
        for (int page = 0; page < STREAM_POOL / 2; page++) {
          heap.takeHiddenPages(profile.pageBytes());
        }
      }
      switch (kind) {
        case ALLOC, OOM -> request++;
        case SEGMENT_ALLOC -> explained = allocate(effects.address(row), effects.bytes(row));
        case SEGMENT_FREE -> explained = free(effects.address(row) - distance, effects.bytes(row));
        default -> {}
      }
    }
  }

  /**
   * The distance that the first segment shows which fits in what the driver has before the first
   * call: the arena, or the page beside the local memory. They lie above all others, at no multiple
   * of a unit. How far below them the first gap ends differs by process, so that a larger segment
   * before says less. Empty where that segment lies elsewhere.
   */
  private OptionalLong distanceOfArena(EffectLog effects) {
    long end = 0;
    for (int row = 0; row < effects.count(); row++) {
      if (effects.kind(row) != EffectKind.SEGMENT_ALLOC) {
        continue;
      }
      long address = effects.address(row);
      long bytes = effects.bytes(row);
      if (!isPossible(bytes) || address <= 0) {
        return OptionalLong.empty();
      }
      if (heap.isReserved(heap.next(bytes))) {
        long found = address - heap.next(bytes);
        boolean isThere = end > 0 && address >= end && found % unitBytes == 0;
        return isThere ? OptionalLong.of(found) : OptionalLong.empty();
      }
      end = Math.max(end, reservationEnd(address, bytes));
    }
    return OptionalLong.empty();
  }

  private boolean isPossible(long bytes) {
    return bytes > 0 && bytes <= MAX_BYTES && bytes % profile.pageBytes() == 0;
  }

  private boolean allocate(long recordedAddress, long bytes) {
    if (!isPossible(bytes)) {
      return false;
    }
    if (!anchored) {
      anchored = true;
      distance = arenaDistance.orElse(recordedAddress - heap.next(bytes));
      if (distance % unitBytes != 0) {
        return false;
      }
      history.setKnown();
    }
    long address = recordedAddress - distance;
    if (!heap.hasAddresses(address, bytes)
        || address % profile.pageBytes() != 0
        || !explain(address, bytes)) {
      return false;
    }
    heap.allocate(bytes, Long.MAX_VALUE);
    return true;
  }

  private boolean free(long address, long bytes) {
    if (!heap.holds(address, bytes)) {
      return false;
    }
    long from = heap.reservationStart(address);
    long to = heap.reservationEnd(address);
    heap.free(address, bytes);
    if (!heap.isReserved(address)) {
      int before = returned.find(from);
      if (before != AddressTable.NONE) {
        returned.remove(before);
      }
      returned.add(from, to - from);
    }
    return true;
  }

  /** Changes what is hidden until the next block comes to lie at an address. */
  private boolean explain(long address, long bytes) {
    if (heap.next(bytes) == address) {
      return true;
    }
    if (!openKept(address, bytes) && !makeRoom(address, bytes)) {
      return false;
    }
    while (history.count() < MAX_CHANGES) {
      long next = heap.next(bytes);
      if (next == address) {
        return true;
      }
      long holeEnd = heap.holeEnd(next);
      if (holeEnd >= 0) {
        boolean same = next < address && address + bytes <= holeEnd;
        long end = same ? address : holeEnd - bytes + profile.pageBytes();
        change(Change.OCCUPY, next, end - next);
      } else if (next > address) {
        long start = Math.max(heap.gapStart(next), reservationEnd(address, bytes));
        change(Change.OCCUPY, start, heap.gapEnd(next) - start);
      } else if (!openKept(address, bytes)) {
        return false;
      }
    }
    return false;
  }

  /**
   * Where an address is free, but no new reservation would have been put there, something small
   * must keep the reservation that was there: makes its rest a hole. Returns whether that is so.
   */
  private boolean openKept(long address, long bytes) {
    if (address % unitBytes != 0 || heap.isReserved(address)) {
      return false;
    }
    long end = reservationEnd(address, bytes);
    int before = returned.find(address);
    if (before != AddressTable.NONE
        && address + returned.bytes(before) > end
        && !heap.isReserved(address, returned.bytes(before))) {
      end = address + returned.bytes(before);
    } else if (heap.gapStart(address) != address || heap.gapEnd(address) != end) {
      return false;
    }
    change(Change.OPEN_HOLE, address, Math.max(bytes, end - address - profile.pageBytes()));
    return true;
  }

  /** Whether an address could be given, once what others had there is given back. */
  private boolean makeRoom(long address, long bytes) {
    long local = profile.arenaAddress() - DeviceProfile.LOCAL_MEMORY_DISTANCE * profile.pageBytes();
    if (!grown
        && address >= local
        && address < local + DeviceProfile.LOCAL_MEMORY_PAGES * profile.pageBytes()) {
      grown = true;
      change(Change.GROW_LOCAL_MEMORY, 0, 0);
    }
    long end = reservationEnd(address, bytes);
    if (heap.isHole(address, bytes) || heap.next(bytes) == address) {
      return true;
    }
    if (address % unitBytes == 0 && !heap.isReserved(address, end - address)) {
      // The driver asks for more than it needs.
      long start = address - profile.pageBytes();
      change(Change.RELEASE, start, end - start);
      return true;
    }
    change(Change.OPEN_HOLE, address, bytes);
    return heap.isHole(address, bytes);
  }

  private long reservationEnd(long address, long bytes) {
    return address + ((bytes + unitBytes - 1) & -unitBytes);
  }

  private void change(Change change, long address, long bytes) {
    history.add(request, change, address - profile.arenaAddress(), bytes);
    heap.apply(change, address, bytes);
  }
}
