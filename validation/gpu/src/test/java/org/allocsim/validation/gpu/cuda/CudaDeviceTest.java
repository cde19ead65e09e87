package org.allocsim.validation.gpu.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.HandleMemory;
import org.junit.jupiter.api.Test;

class CudaDeviceTest {
  private static final long MIB = 1L << 20;
  private static final String NOTHING =
      "blocks 0, stream-ordered 0, ranges 0, handles 0, mapped 0, streams 0, pools 0";

  private final FakeCuda cuda = new FakeCuda(256 * MIB);
  private final FakeCuda otherCuda = new FakeCuda(256 * MIB);
  private final StringBuilder calls = new StringBuilder();

  private CudaDevice open(long maxBytes) {
    return new CudaDevice(
        cuda,
        bound(maxBytes),
        (call, bytes, nanos, refused) ->
            calls.append(call).append(refused ? " refused" : "").append('\n'));
  }

  private static GpuBounds bound(long maxBytes) {
    return new GpuBounds(maxBytes, GpuBounds.NONE.maxNanos());
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
  void aHandleThatIsMappedTwiceTakesItsMemoryOnceUntilItIsMappedNowhere() {
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      HandleMemory memory = device.handleMemory().orElseThrow();
      long[] handles = new long[6];
      assertTrue(memory.create(handles, 1, 4, 2 * MIB));
      assertEquals(248 * MIB, device.freeBytes());
      long range = device.reserve(64 * MIB, 2 * MIB, 0);
      memory.map(range, handles, 1, 4, 2 * MIB);
      memory.map(range + 16 * MIB, handles, 3, 2, 2 * MIB);
      memory.release(handles, 1, 4, 2 * MIB);
      memory.unmap(range, handles, 1, 4, 2 * MIB);
      assertEquals(252 * MIB, device.freeBytes());
      memory.unmap(range + 16 * MIB, handles, 3, 2, 2 * MIB);
      device.unreserve(range, 64 * MIB);
      assertEquals(256 * MIB, device.freeBytes());
      assertEquals(NOTHING, cuda.open());
    }
    assertEquals(
        "CREATE\n".repeat(4)
            + "ADDRESS_RESERVE\n"
            + "MAP\nSET_ACCESS\n".repeat(6)
            + "RELEASE\n".repeat(4)
            + "UNMAP\n".repeat(6)
            + "ADDRESS_FREE\n",
        calls.toString());
  }

  @Test
  void handlesInEveryStateGoBackWhenTheDeviceIsClosed() {
    long before = cuda.freeBytes();
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      HandleMemory memory = device.handleMemory().orElseThrow();
      long[] handles = new long[4];
      assertTrue(memory.create(handles, 0, 4, 2 * MIB));
      long range = device.reserve(64 * MIB, 2 * MIB, 0);
      memory.map(range, handles, 0, 3, 2 * MIB);
      memory.map(range + 32 * MIB, handles, 1, 2, 2 * MIB);
      memory.release(handles, 2, 1, 2 * MIB);
    }
    assertEquals(NOTHING, cuda.open());
    assertEquals(before, cuda.freeBytes());
  }

  @Test
  void handlesThatAreRefusedLeaveNoneBehind() {
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      HandleMemory memory = device.handleMemory().orElseThrow();
      assertFalse(memory.create(new long[20], 0, 20, 20 * MIB));
      assertEquals(256 * MIB, device.freeBytes());
      assertEquals(
          "CREATE\n".repeat(12) + "CREATE refused\n" + "RELEASE\n".repeat(12), calls.toString());
    }
    try (CudaDevice device = new CudaDevice(otherCuda, bound(10 * MIB), DriverCallListener.NONE)) {
      HandleMemory memory = device.handleMemory().orElseThrow();
      assertFalse(memory.create(new long[6], 0, 6, 2 * MIB));
      assertEquals(1, device.refusedByBound());
    }
    assertEquals(NOTHING, cuda.open());
    assertEquals(NOTHING, otherCuda.open());
  }

  @Test
  void aCallThatFailsHalfwayLeavesItsHandlesInTheBooks() {
    CudaDevice device = open(Long.MAX_VALUE);
    HandleMemory memory = device.handleMemory().orElseThrow();
    long[] handles = new long[2];
    assertTrue(memory.create(handles, 0, 2, 2 * MIB));
    long range = device.reserve(64 * MIB, 2 * MIB, 0);
    cuda.failingCall = "cuMemSetAccess";
    assertThrows(CudaException.class, () -> memory.map(range, handles, 0, 2, 2 * MIB));
    assertThrows(CudaException.class, () -> device.map(range + 8 * MIB, 4 * MIB, 2 * MIB));
    cuda.failingCall = "cuMemMap";
    assertThrows(CudaException.class, () -> device.map(range + 16 * MIB, 4 * MIB, 2 * MIB));
    cuda.failingCall = null;
    device.close();
    assertEquals(NOTHING, cuda.open());
  }

  @Test
  void handlesThatAreNotHeldOrMappedThereAreRefused() {
    try (CudaDevice device = open(Long.MAX_VALUE)) {
      HandleMemory memory = device.handleMemory().orElseThrow();
      long[] handles = new long[2];
      assertTrue(memory.create(handles, 0, 2, 2 * MIB));
      long range = device.reserve(64 * MIB, 2 * MIB, 0);
      memory.map(range, handles, 0, 2, 2 * MIB);
      long[] swapped = {handles[1], handles[0]};
      for (Runnable wrong :
          List.<Runnable>of(
              () -> memory.map(range + 8 * MIB, new long[] {77}, 0, 1, 2 * MIB),
              () -> memory.map(range + 8 * MIB, handles, 0, 1, 4 * MIB),
              () -> memory.unmap(range, swapped, 0, 2, 2 * MIB),
              () -> memory.unmap(range + 8 * MIB, handles, 0, 1, 2 * MIB),
              () -> memory.release(new long[] {77}, 0, 1, 2 * MIB))) {
        assertThrows(IllegalStateException.class, wrong::run);
      }
      memory.release(handles, 0, 2, 2 * MIB);
      assertThrows(IllegalStateException.class, () -> memory.release(handles, 0, 1, 2 * MIB));
      memory.unmap(range, handles, 0, 2, 2 * MIB);
      assertEquals(256 * MIB, device.freeBytes());
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
  void afterItsEndOrItsTimeTheDeviceRefusesEveryCall() {
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
