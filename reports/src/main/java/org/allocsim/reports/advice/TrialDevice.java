package org.allocsim.reports.advice;

import org.allocsim.simulator.device.DeviceMemory;

/**
 * Passes everything on to another device until a trial begins in which the other one has no
 * answers; from then on it grants what its free bytes allow, at addresses of its own.
 */
final class TrialDevice implements DeviceMemory {
  /** Above every address that a driver gives, below the sign bit. */
  private static final long TRIAL_ADDRESS = 1L << 60;

  private final DeviceMemory inner;
  private boolean trial;
  private long freeBytes;
  private long nextAddress = TRIAL_ADDRESS;

  TrialDevice(DeviceMemory inner) {
    this.inner = inner;
  }

  DeviceMemory inner() {
    return inner;
  }

  /** From now on this many bytes are free, and the other device is not asked any more. */
  void beginTrial(long bytes) {
    trial = true;
    freeBytes = bytes;
  }

  @Override
  public long allocate(long bytes) {
    if (!trial) {
      return inner.allocate(bytes);
    }
    if (bytes > freeBytes) {
      return REFUSED;
    }
    freeBytes -= bytes;
    return place(bytes);
  }

  private long place(long bytes) {
    long address = nextAddress;
    nextAddress += bytes;
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    if (trial) {
      freeBytes += bytes;
    } else {
      inner.free(address, bytes);
    }
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    return trial ? place(bytes) : inner.reserve(bytes, pageBytes, stream);
  }

  @Override
  public void unreserve(long address, long bytes) {
    if (!trial) {
      inner.unreserve(address, bytes);
    }
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    if (!trial) {
      return inner.map(address, bytes, pageBytes);
    }
    if (bytes > freeBytes) {
      return false;
    }
    freeBytes -= bytes;
    return true;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    if (trial) {
      freeBytes += bytes;
    } else {
      inner.unmap(address, bytes, pageBytes);
    }
  }

  @Override
  public long freeBytes() {
    return trial ? freeBytes : inner.freeBytes();
  }

  @Override
  public long totalBytes() {
    return inner.totalBytes();
  }
}
