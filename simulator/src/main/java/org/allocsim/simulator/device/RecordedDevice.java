package org.allocsim.simulator.device;

import java.util.Arrays;
import java.util.function.IntSupplier;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;

/**
 * A device that answers as it did in a recording: with the recorded addresses, and with a refusal
 * wherever the recording does not show the matching success next.
 *
 * <p>A segment is granted if and only if the next recorded row is the allocation of a segment of
 * that size, pages if and only if it is the mapping of that range. The base of an address range is
 * the first mapping on that stream that lies in no other range.
 *
 * <p>Memory that is held is never granted again, whatever the recording shows.
 */
public final class RecordedDevice implements DeviceMemory {
  private final EffectLog recording;
  private final IntSupplier nextRow;
  private final long totalBytes;

  private long[] rangeAddress = new long[4];
  private long[] rangeBytes = new long[4];
  private int ranges;
  private long unknownBase;

  private final HeldMemory held = new HeldMemory();
  private int overlappingRow = -1;

  /**
   * A device that answers from a recording.
   *
   * @param recording what really happened
   * @param nextRow the recorded row that the policy must produce next
   * @param totalBytes size of the device, or −1 where it is not known
   */
  public RecordedDevice(EffectLog recording, IntSupplier nextRow, long totalBytes) {
    this.recording = recording;
    this.nextRow = nextRow;
    this.totalBytes = totalBytes;
  }

  /** Declares an address range that existed before the recording. */
  public void declareRange(long address, long bytes) {
    if (ranges == rangeAddress.length) {
      rangeAddress = Arrays.copyOf(rangeAddress, ranges * 2);
      rangeBytes = Arrays.copyOf(rangeBytes, ranges * 2);
    }
    rangeAddress[ranges] = address;
    rangeBytes[ranges++] = bytes;
  }

  /** Declares memory that was held before the recording. */
  public void hold(long address, long bytes) {
    held.add(address, bytes);
  }

  /** The first recorded row that obtains memory which is held already, −1 where none was met. */
  public int overlappingRow() {
    return overlappingRow;
  }

  /** Whether a row shows memory as obtained that can be: it is then held. */
  private boolean obtain(int row) {
    if (held.overlaps(recording.address(row), recording.bytes(row))) {
      overlappingRow = overlappingRow < 0 ? row : overlappingRow;
      return false;
    }
    held.add(recording.address(row), recording.bytes(row));
    return true;
  }

  @Override
  public long allocate(long bytes) {
    int row = nextRow.getAsInt();
    boolean granted =
        row < recording.count()
            && recording.kind(row) == EffectKind.SEGMENT_ALLOC
            && recording.bytes(row) == bytes
            && obtain(row);
    return granted ? recording.address(row) : REFUSED;
  }

  @Override
  public void free(long address, long bytes) {
    held.remove(address, bytes);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    long address = firstUnknownMapping(stream);
    if (address == REFUSED) {
      // Nothing is ever mapped there, so any address that no other range has will do.
      unknownBase -= bytes;
      address = unknownBase;
    }
    declareRange(address, bytes);
    return address;
  }

  private long firstUnknownMapping(int stream) {
    for (int row = nextRow.getAsInt(); row < recording.count(); row++) {
      if (recording.kind(row) == EffectKind.SEGMENT_MAP
          && recording.stream(row) == stream
          && !isInRange(recording.address(row))) {
        return recording.address(row);
      }
    }
    return REFUSED;
  }

  private boolean isInRange(long address) {
    for (int i = 0; i < ranges; i++) {
      if (Long.compareUnsigned(address - rangeAddress[i], rangeBytes[i]) < 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void unreserve(long address, long bytes) {
    for (int i = 0; i < ranges; i++) {
      if (rangeAddress[i] == address) {
        ranges--;
        rangeAddress[i] = rangeAddress[ranges];
        rangeBytes[i] = rangeBytes[ranges];
        return;
      }
    }
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    int row = nextRow.getAsInt();
    return row < recording.count()
        && recording.kind(row) == EffectKind.SEGMENT_MAP
        && recording.address(row) == address
        && recording.bytes(row) == bytes
        && obtain(row);
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    held.remove(address, bytes);
  }

  /** Free bytes that the next recorded OOM shows, or 0 where the next row is no OOM. */
  @Override
  public long freeBytes() {
    int row = nextRow.getAsInt();
    boolean known = row < recording.count() && recording.kind(row) == EffectKind.OOM;
    return known ? recording.address(row) : 0;
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }
}
