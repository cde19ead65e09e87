package org.allocsim.validation.recordings;

import java.util.Iterator;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.workloads.format.bfclog.BfcEffect;

/** Answers each request with the recorded region that comes next, and insists on its size. */
final class RecordedRegions implements DeviceMemory {
  private final Iterator<BfcEffect.Region> regions;

  RecordedRegions(List<BfcEffect.Region> regions) {
    this.regions = regions.iterator();
  }

  @Override
  public long allocate(long bytes) {
    if (!regions.hasNext()) {
      throw new AssertionError("a region of " + bytes + " bytes that was never asked for");
    }
    BfcEffect.Region region = regions.next();
    if (region.bytes() != bytes) {
      throw new AssertionError(
          "line %d: a region of %d bytes instead of %d"
              .formatted(region.line(), bytes, region.bytes()));
    }
    return region.address();
  }

  @Override
  public void free(long address, long bytes) {
    throw new AssertionError();
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    throw new AssertionError();
  }

  @Override
  public void unreserve(long address, long bytes) {
    throw new AssertionError();
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    throw new AssertionError();
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    throw new AssertionError();
  }

  @Override
  public long freeBytes() {
    return 0;
  }

  @Override
  public long totalBytes() {
    return -1;
  }
}
