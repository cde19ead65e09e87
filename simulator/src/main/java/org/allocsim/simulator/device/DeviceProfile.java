package org.allocsim.simulator.device;

import java.util.function.Consumer;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.device.cost.DriverCosts;

/**
 * What a simulated device must know about a GPU and its driver.
 *
 * @param name short name, as {@code --device} takes it
 * @param origin where its figures come from
 * @param source the GPU and driver they were measured on, or where they were published
 * @param totalBytes size as the driver reports it
 * @param contextBytes memory taken before the first allocation
 * @param unusableBytes free bytes that no call can use: a call that would need them fails
 * @param pageBytes granularity of device memory, a power of two
 * @param reservationBytes granularity of the driver's address reservations, a power of two
 * @param arenaAddress first address of the arena, which ends at the next multiple of {@code
 *     reservationBytes}
 * @param topAddress end of the highest reservation, below the arena; differs between processes
 * @param rangeAddress first address that {@code cuMemAddressReserve} gives
 * @param costs time of driver calls
 * @param compute speed of arithmetic, memory and copies
 * @param history what else used the address space of the process
 */
public record DeviceProfile(
    String name,
    Origin origin,
    String source,
    long totalBytes,
    long contextBytes,
    long unusableBytes,
    long pageBytes,
    long reservationBytes,
    long arenaAddress,
    long topAddress,
    long rangeAddress,
    DriverCosts costs,
    ComputeProfile compute,
    AddressHistory history) {

  /** How the figures of a profile were come by. */
  public enum Origin {
    /** Recorded on the GPU itself. */
    MEASURED,
    /** Published size of the GPU; everything else as measured on H100. */
    DERIVED,
    /** Chosen by the user. */
    CHOSEN
  }

  /** Page of device memory (driver 580, H100 and H200). */
  public static final long PAGE_BYTES = DriverCosts.PAGE_BYTES;

  /**
   * One page stays free whatever is asked for, for segments, handles and the pool alike (driver 580
   * on H200, found by filling the GPU; recordings of H100 agree). In about every second context two
   * pages stay, in one of 27 three did: the same for all calls of a context, and free bytes do not
   * show it.
   */
  public static final long UNUSABLE_BYTES = PAGE_BYTES;

  /** Unit of address reservations (driver 580, H100 and H200). */
  public static final long RESERVATION_BYTES = 32L << 20;

  /** Memory of a bare context (driver 580, CUDA 13.0; the same on H100 and H200). */
  public static final long CONTEXT_BYTES = 552_402_944L;

  /**
   * The arena's address in the built-in profiles. Real ones differ from process to process; all
   * start 4 pages above a multiple of 32 MiB.
   */
  public static final long ARENA_ADDRESS = 0x7f00_0080_0000L;

  /**
   * Local memory of kernels that a bare context holds, in pages (driver 580, H100 and H200): as
   * much as 1 472 bytes for each of 144 × 2 048 threads.
   */
  public static final int LOCAL_MEMORY_PAGES = 207;

  /** Distance of the local memory's reservation below the arena, in pages. */
  public static final int LOCAL_MEMORY_DISTANCE = 244;

  /** Where address ranges begin (driver 580 on H100, in every recorded process). */
  public static final long RANGE_ADDRESS = 0x3_0200_0000L;

  /** Refuses figures that contradict each other. */
  public DeviceProfile {
    if (totalBytes <= 0 || contextBytes < 0 || contextBytes > totalBytes || unusableBytes < 0) {
      throw new IllegalArgumentException(
          "device profile %s: %d bytes with a context of %d bytes are invalid"
              .formatted(name, totalBytes, contextBytes));
    }
    if (Long.bitCount(pageBytes) != 1
        || Long.bitCount(reservationBytes) != 1
        || pageBytes < 512
        || reservationBytes < pageBytes) {
      throw new IllegalArgumentException(
          "device profile %s: pages of %d bytes and reservations of %d bytes must be powers of two"
              .formatted(name, pageBytes, reservationBytes));
    }
    if (!arePlaced(pageBytes, reservationBytes, rangeAddress, topAddress, arenaAddress)) {
      throw new IllegalArgumentException(
          "device profile %s: addresses must be aligned and ascend from ranges to top to arena"
              .formatted(name));
    }
  }

  /**
   * Whether addresses are aligned as they must be, and ascend from ranges to the first reservation
   * to the arena.
   */
  public static boolean arePlaced(
      long pageBytes,
      long reservationBytes,
      long rangeAddress,
      long topAddress,
      long arenaAddress) {
    return arenaAddress % pageBytes == 0
        && topAddress % reservationBytes == 0
        && rangeAddress % reservationBytes == 0
        && rangeAddress > 0
        && rangeAddress < topAddress
        && topAddress <= arenaAddress - LOCAL_MEMORY_DISTANCE * pageBytes;
  }

  /** Free bytes before the first allocation. */
  public long capacityBytes() {
    return totalBytes - contextBytes;
  }

  /** Where the reservation of the bare context's local memory starts, below the arena. */
  public long localMemoryAddress() {
    return arenaAddress - LOCAL_MEMORY_DISTANCE * pageBytes;
  }

  /** The same GPU in a process with other addresses. */
  public DeviceProfile withAddresses(long arenaAddress, long topAddress) {
    return with(copy -> {
      copy.arenaAddress = arenaAddress;
      copy.topAddress = topAddress;
    });
  }

  /** The same GPU under another name. */
  public DeviceProfile withName(String name) {
    return with(copy -> copy.name = name);
  }

  /** The same GPU whose figures have another source. */
  public DeviceProfile withSource(String source) {
    return with(copy -> copy.source = source);
  }

  /** The same GPU in a process whose address ranges begin elsewhere. */
  public DeviceProfile withRangeAddress(long rangeAddress) {
    return with(copy -> copy.rangeAddress = rangeAddress);
  }

  /** The same GPU with calls that take other times. */
  public DeviceProfile withCosts(DriverCosts costs) {
    return with(copy -> copy.costs = costs);
  }

  /** The same GPU with another speed of arithmetic, memory and copies. */
  public DeviceProfile withCompute(ComputeProfile compute) {
    return with(copy -> copy.compute = compute);
  }

  /**
   * The same GPU with this much memory left for the program; others hold the rest.
   *
   * @param bytes at most all of its memory
   */
  public DeviceProfile withCapacity(long bytes) {
    return with(copy -> copy.contextBytes = totalBytes - bytes);
  }

  /**
   * Such a GPU with another amount of memory.
   *
   * @param bytes its size, which holds the context at least
   */
  public DeviceProfile withTotal(long bytes) {
    return with(copy -> copy.totalBytes = bytes);
  }

  /** The same GPU in a process with another context. */
  public DeviceProfile withContext(long bytes) {
    return with(copy -> copy.contextBytes = bytes);
  }

  /** The same GPU in a process whose address space others use, too. */
  public DeviceProfile withHistory(AddressHistory history) {
    return with(copy -> copy.history = history);
  }

  private DeviceProfile with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.build();
  }

  /** A profile that can still change. */
  private static final class Copy {
    private String name;
    private Origin origin;
    private String source;
    private long totalBytes;
    private long contextBytes;
    private long unusableBytes;
    private long pageBytes;
    private long reservationBytes;
    private long arenaAddress;
    private long topAddress;
    private long rangeAddress;
    private DriverCosts costs;
    private ComputeProfile compute;
    private AddressHistory history;

    Copy(DeviceProfile profile) {
      name = profile.name;
      origin = profile.origin;
      source = profile.source;
      totalBytes = profile.totalBytes;
      contextBytes = profile.contextBytes;
      unusableBytes = profile.unusableBytes;
      pageBytes = profile.pageBytes;
      reservationBytes = profile.reservationBytes;
      arenaAddress = profile.arenaAddress;
      topAddress = profile.topAddress;
      rangeAddress = profile.rangeAddress;
      costs = profile.costs;
      compute = profile.compute;
      history = profile.history;
    }

    DeviceProfile build() {
      return new DeviceProfile(
          name,
          origin,
          source,
          totalBytes,
          contextBytes,
          unusableBytes,
          pageBytes,
          reservationBytes,
          arenaAddress,
          topAddress,
          rangeAddress,
          costs,
          compute,
          history);
    }
  }
}
