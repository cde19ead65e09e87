package org.allocsim.simulator.run;

import java.util.function.IntSupplier;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.MemoryLayout;

/**
 * The device of a recording, with its calls counted, until the recording is left; from then on it
 * grants what its free bytes allow, at addresses of its own.
 */
final class RecordedMemory implements DeviceMemory {
  /** Above every address that a driver gives, below the sign bit. */
  private static final long OWN_ADDRESS = 1L << 60;

  private final EffectLog effects;
  private final RecordedDevice device;
  private final long[] calls = new long[DriverCall.values().length];
  private boolean left;

  /** Free bytes where the recording was left; before, they mean nothing. */
  private long freeBytes;

  private long nextAddress = OWN_ADDRESS;

  /**
   * The device of a recording.
   *
   * @param start what was held before it
   * @param nextRow the recorded effect that the policy must produce next
   * @param totalBytes size of the device, −1 where it is not known
   */
  RecordedMemory(EffectLog effects, MemoryLayout start, IntSupplier nextRow, long totalBytes) {
    this.effects = effects;
    device = new RecordedDevice(effects, nextRow, totalBytes);
    for (int segment = 0; segment < start.segmentCount(); segment++) {
      device.hold(start.segmentAddress(segment), start.segmentBytes(segment));
    }
  }

  /** Number of recorded effects. */
  int effectCount() {
    return effects.count();
  }

  /** Calls so far. */
  long calls(DriverCall call) {
    return calls[call.ordinal()];
  }

  /** From now on this many bytes are free, and the recording is not asked any more. */
  void leaveRecording(long bytes) {
    left = true;
    freeBytes = bytes;
  }

  private boolean take(long bytes) {
    if (bytes > freeBytes) {
      return false;
    }
    freeBytes -= bytes;
    return true;
  }

  private long place(long bytes) {
    long address = nextAddress;
    nextAddress += bytes;
    return address;
  }

  private void count(DriverCall call, long times) {
    calls[call.ordinal()] += times;
  }

  @Override
  public long allocate(long bytes) {
    count(DriverCall.ALLOCATE, 1);
    if (!left) {
      return device.allocate(bytes);
    }
    return take(bytes) ? place(bytes) : REFUSED;
  }

  @Override
  public void free(long address, long bytes) {
    count(DriverCall.FREE, 1);
    freeBytes += bytes;
    if (!left) {
      device.free(address, bytes);
    }
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    count(DriverCall.ADDRESS_RESERVE, 1);
    return left ? place(bytes) : device.reserve(bytes, pageBytes, stream);
  }

  @Override
  public void unreserve(long address, long bytes) {
    count(DriverCall.ADDRESS_FREE, 1);
    if (!left) {
      device.unreserve(address, bytes);
    }
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    boolean mapped = left ? take(bytes) : device.map(address, bytes, pageBytes);
    if (mapped) {
      count(DriverCall.CREATE, bytes / pageBytes);
      count(DriverCall.MAP, bytes / pageBytes);
      count(DriverCall.SET_ACCESS, 1);
    } else {
      // How many handles the driver gave before it refused one is not known.
      count(DriverCall.CREATE, 1);
    }
    return mapped;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    count(DriverCall.UNMAP, bytes / pageBytes);
    count(DriverCall.RELEASE, bytes / pageBytes);
    freeBytes += bytes;
    if (!left) {
      device.unmap(address, bytes, pageBytes);
    }
  }

  @Override
  public long freeBytes() {
    return left ? freeBytes : device.freeBytes();
  }

  @Override
  public long totalBytes() {
    return device.totalBytes();
  }
}
