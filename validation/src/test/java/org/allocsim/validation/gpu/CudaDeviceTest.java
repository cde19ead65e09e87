package org.allocsim.validation.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.junit.jupiter.api.Test;

class CudaDeviceTest {
  private static final long MIB = 1L << 20;
  private static final String NOTHING =
      "blocks 0, stream-ordered 0, ranges 0, handles 0, mapped 0, streams 0, pools 0";

  private final FakeCuda cuda = new FakeCuda(256 * MIB);
  private final StringBuilder calls = new StringBuilder();

  private CudaDevice open(long mostBytes) {
    return new CudaDevice(
        cuda,
        new GpuBounds(mostBytes, GpuBounds.NONE.mostNanos()),
        (call, bytes, nanos, refused) ->
            calls.append(call).append(refused ? " refused" : "").append('\n'));
  }

  @Test
  void everythingThatWasTakenGoesBackWhenTheDeviceIsClosed() {
    long before = cuda.freeBytes();
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      device.allocate(3 * MIB);
      long range = device.reserve(64 * MIB, 20 * MIB, 0);
      assertTrue(device.map(range, 40 * MIB, 20 * MIB));
      device.setReleaseThreshold(CudaDevice.KEEP_ALL);
      assertNotEquals(DeviceMemory.REFUSED, device.allocateAsync(5 * MIB, 3));
      device.freeAsync(device.allocateAsync(MIB, 0), MIB, 1);
      assertEquals(5 * MIB, device.poolUsedBytes());
    }
    assertEquals(NOTHING, cuda.open());
    assertEquals(0, cuda.attribute(CudaCalls.PoolAttribute.RELEASE_THRESHOLD));
    assertTrue(cuda.isClosed);
    assertEquals(before, cuda.freeBytes());
  }

  @Test
  void oneFailureAtTheEndLeavesNothingElseBehind() {
    CudaDevice device = open(Long.MAX_VALUE);
    device.allocate(3 * MIB);
    long range = device.reserve(64 * MIB, 2 * MIB, 0);
    assertTrue(device.map(range, 4 * MIB, 2 * MIB));
    cuda.failingCall = "cuMemFree";
    CudaException failure = assertThrows(CudaException.class, device::close);
    assertTrue(failure.getMessage().startsWith("cuMemFree failed"), failure.getMessage());
    assertEquals(NOTHING.replace("blocks 0", "blocks 1"), cuda.open());
    device.close();
  }

  @Test
  void aRefusedMappingLeavesNoHandleBehind() {
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      long range = device.reserve(1024 * MIB, 20 * MIB, 0);
      long before = device.freeBytes();
      assertFalse(device.map(range, 400 * MIB, 20 * MIB));
      assertEquals(before, device.freeBytes());
      assertTrue(calls.toString().endsWith("CREATE refused\n" + "RELEASE\n".repeat(12)));
    }
    assertEquals(NOTHING, cuda.open());
  }

  @Test
  void holdingBackFindsHowManyPagesNobodyCanHave() {
    for (long pages = 0; pages <= 3; pages++) {
      FakeCuda card = new FakeCuda(card(pages * 2 * MIB));
      try (CudaDevice device = new CudaDevice(card, GpuBounds.NONE, DriverCallListener.NONE)) {
        device.holdBack(20 * MIB);
        assertEquals(pages * 2 * MIB, device.unusableBytes());
        assertEquals(20, device.freeBytes() / MIB);
      }
      assertEquals(NOTHING, card.open());
    }
  }

  private static DeviceProfile card(long unusableBytes) {
    DeviceProfile base = DeviceProfiles.ofCapacity(1L << 30);
    return new DeviceProfile(
        base.name(),
        base.origin(),
        base.source(),
        base.totalBytes(),
        base.contextBytes(),
        unusableBytes,
        base.pageBytes(),
        base.reservationBytes(),
        base.arenaAddress(),
        base.topAddress(),
        base.rangeAddress(),
        base.costs(),
        base.compute(),
        base.history());
  }

  @Test
  void aPoolWithALimitGetsTheSettingsMadeBefore() {
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      device.setReleaseThreshold(5 * MIB);
      device.setReuse(false, true);
      cuda.changedPool = -1;
      device.setPoolLimit(64 * MIB);
      assertNotEquals(-1, cuda.changedPool);
      assertEquals(5 * MIB, cuda.attribute(CudaCalls.PoolAttribute.RELEASE_THRESHOLD));
      assertEquals(0, cuda.attribute(CudaCalls.PoolAttribute.REUSE_OPPORTUNISTIC));
    }
  }

  @Test
  void aRequestBeyondTheBoundIsRefusedWithoutAskingTheDriver() {
    try (CudaDevice device = open(10 * MIB)) {
      assertEquals(10 * MIB, device.freeBytes());
      assertNotEquals(DeviceMemory.REFUSED, device.allocate(8 * MIB));
      assertEquals(DeviceMemory.REFUSED, device.allocate(4 * MIB));
      assertEquals(1, device.refusedByBound());
      assertEquals("ALLOCATE\n", calls.toString());
    }
  }

  @Test
  void unmappingGivesEveryHandleBack() {
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      long range = device.reserve(64 * MIB, 2 * MIB, 0);
      assertTrue(device.map(range, 8 * MIB, 2 * MIB));
      device.unmap(range + 2 * MIB, 4 * MIB, 2 * MIB);
      assertEquals(252 * MIB, device.freeBytes());
      device.unmap(range, 2 * MIB, 2 * MIB);
      device.unmap(range + 6 * MIB, 2 * MIB, 2 * MIB);
      device.unreserve(range, 64 * MIB);
      assertEquals(NOTHING, cuda.open());
    }
  }

  @Test
  void whatWasNotTakenCannotBeGivenBack() {
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      assertThrows(IllegalStateException.class, () -> device.free(4096, 1));
      assertThrows(IllegalStateException.class, () -> device.unmap(4096, 2 * MIB, 2 * MIB));
      assertThrows(IllegalStateException.class, () -> device.freeAsync(4096, 1, 0));
    }
  }

  @Test
  void behindItsEndOrItsTimeTheDeviceRefusesEveryCall() {
    CudaDevice device = open(Long.MAX_VALUE);
    device.close();
    assertThrows(CudaException.class, () -> device.allocate(1));
    FakeCuda other = new FakeCuda(MIB);
    try (CudaDevice late =
        new CudaDevice(other, new GpuBounds(Long.MAX_VALUE, -1), DriverCallListener.NONE)) {
      CudaException failure = assertThrows(CudaException.class, () -> late.allocate(1));
      assertTrue(failure.getMessage().contains("longer than"), failure.getMessage());
    }
  }

  @Test
  void withoutADriverOneSentenceSaysSo() {
    assumeFalse(Files.exists(Path.of("/dev/nvidia0")), "not run: this machine has a GPU");
    CudaException failure =
        assertThrows(
            CudaException.class, () -> CudaDevice.open(0, GpuBounds.NONE, DriverCallListener.NONE));
    assertTrue(failure.getMessage().startsWith("no NVIDIA driver"), failure.getMessage());
  }
}
