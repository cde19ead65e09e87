package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.RandomRequests.Profile;
import org.allocsim.simulator.policy.pytorch.RandomRequests.Request;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An allocator that is put into the state of another goes on as that one does. */
class RestorationTest {
  private static final long MIB = 1L << 20;
  private static final long STRIDE = 1L << 40;
  private static final int REQUESTS = 600;

  private final ScriptedDevice device = new ScriptedDevice(ScriptedDevice.UNLIMITED_BYTES);
  private final Deque<Map.Entry<String, Object>> calls = new ArrayDeque<>();

  private static CachingAllocator allocator(
      String conf, DeviceMemory device, EffectListener listener) {
    try {
      AllocatorConfig config = ConfigParser.parse(conf, PyTorchVersion.V2_11).allocator();
      return new CachingAllocator(config, PyTorchVersion.V2_11, -1, device, listener);
    } catch (ConfigException e) {
      throw new AssertionError(e);
    }
  }

  /** The device, which keeps what it answers. */
  private DeviceMemory recorded() {
    return memory((method, call) -> {
      Object answer = method.invoke(device, call.arguments);
      if (!method.getName().endsWith("Bytes")) {
        calls.add(Map.entry(call.text, answer == null ? "" : answer));
      }
      return answer;
    });
  }

  /** A device that is asked the same again, and answers the same. */
  private DeviceMemory twin() {
    return memory((method, call) -> {
      if (method.getName().endsWith("Bytes")) {
        return method.invoke(device, call.arguments);
      }
      Map.Entry<String, Object> before = calls.removeFirst();
      assertEquals(before.getKey(), call.text);
      return before.getValue().equals("") ? null : before.getValue();
    });
  }

  private record Call(Object[] arguments, String text) {}

  private interface Answer {
    Object to(Method method, Call call) throws ReflectiveOperationException;
  }

  private static DeviceMemory memory(Answer answer) {
    return (DeviceMemory)
        Proxy.newProxyInstance(
            DeviceMemory.class.getClassLoader(),
            new Class<?>[] {DeviceMemory.class},
            (_, method, arguments) ->
                answer.to(
                    method, new Call(arguments, method.getName() + Arrays.toString(arguments))));
  }

  /** The layout of an allocator on the scripted device, with where its address ranges begin. */
  private static MemoryLayout layout(CachingAllocator allocator) {
    MemoryLayout.Builder layout = new MemoryLayout.Builder();
    MemoryLayout shown = MemoryLayout.of(allocator);
    for (int segment = 0; segment < shown.segmentCount(); segment++) {
      long address = shown.segmentAddress(segment);
      layout.segment(
          address,
          shown.segmentBytes(segment),
          shown.stream(segment),
          shown.isSmall(segment),
          shown.segmentPool(segment),
          shown.isExpandable(segment),
          shown.isExpandable(segment) ? address / STRIDE * STRIDE : address);
      int end =
          segment + 1 < shown.segmentCount() ? shown.firstBlock(segment + 1) : shown.blockCount();
      for (int block = shown.firstBlock(segment); block < end; block++) {
        layout.block(
            shown.blockAddress(block),
            shown.blockBytes(block),
            shown.requestedBytes(block),
            shown.state(block),
            shown.allocation(block));
      }
    }
    return layout.build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "max_split_size_mb:32",
        "expandable_segments:True",
        "large_segment_size_mb:64"
      })
  void theSameRequestsHaveTheSameEffectsAndDriverCalls(String conf) {
    for (int seed = 0; seed < 24; seed++) {
      calls.clear();
      EffectTape effects = new EffectTape();
      EffectTape twinEffects = new EffectTape();
      CachingAllocator allocator = allocator(conf, recorded(), effects);
      CachingAllocator twin = allocator(conf, twin(), twinEffects);
      Profile profile = Profile.values()[seed % 4];
      RandomRequests requests = new RandomRequests(seed, profile, 1 + seed % 3, false);
      for (int i = 0; i < REQUESTS; i++) {
        if (i == REQUESTS / 2) {
          calls.clear();
          effects.clear();
          twin.restore(layout(allocator));
          assertEquals(allocator.reservedBytes(), twin.reservedBytes());
        }
        Request request = requests.next();
        if (request.kind() == RequestKind.USE_STREAM
            || request.kind() == RequestKind.USE_COMPLETE) {
          continue;
        }
        long foreseen =
            request.kind() == RequestKind.ALLOCATE
                ? allocator.cachedAddressFor(request.value(), request.stream(), request.pool())
                : 0;
        int callsBefore = calls.size();
        long address = request.sendTo(allocator);
        if (request.kind() == RequestKind.ALLOCATE && request.value() > 0) {
          assertEquals(calls.size() > callsBefore ? -1 : address, foreseen, request.toString());
        }
        if (i >= REQUESTS / 2) {
          assertEquals(address, request.sendTo(twin), request.toString());
          assertTrue(twinEffects.sameAs(effects), () -> effects + "\n" + twinEffects);
          assertEquals(0, calls.size());
          effects.clear();
          twinEffects.clear();
        }
      }
      checkFreeBlocks(allocator);
      allocator.describeLayout(effects);
      twin.describeLayout(twinEffects);
      assertTrue(twinEffects.sameAs(effects), () -> effects + "\n" + twinEffects);
    }
  }

  private static void checkFreeBlocks(CachingAllocator allocator) {
    MemoryLayout layout = MemoryLayout.of(allocator);
    int segment = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      while (segment + 1 < layout.segmentCount() && layout.firstBlock(segment + 1) <= block) {
        segment++;
      }
      boolean isFree = layout.state(block) == BlockState.INACTIVE;
      int stream = layout.stream(segment);
      long address = layout.blockAddress(block);
      assertEquals(
          isFree ? layout.blockBytes(block) : 0, allocator.freeBytesAt(address, stream, 0));
      assertEquals(0, allocator.freeBytesAt(address, stream + 1, 0));
      assertEquals(0, allocator.freeBytesAt(address, stream, 7));
    }
  }

  @Test
  void aBlockThatWasGivenBackBeforeIsFreeWithItsNextFree() {
    CachingAllocator allocator = allocator("", device, EffectListeners.NONE);
    allocator.allocate(0, 4 * MIB, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.free(0);
    CachingAllocator twin = allocator("", device, EffectListeners.NONE);
    twin.restore(layout(allocator));
    assertEquals(BlockState.ACTIVE_PENDING_FREE, MemoryLayout.of(twin).state(0));
    twin.free(0);
    assertEquals(BlockState.INACTIVE, MemoryLayout.of(twin).state(0));
    assertEquals(20 * MIB, MemoryLayout.of(twin).blockBytes(0));
  }

  @Test
  void theMemoryOfARestoredPoolGoesBackWithThePool() {
    CachingAllocator allocator = allocator("", device, EffectListeners.NONE);
    allocator.allocate(0, 4 * MIB, 0, 3);
    CachingAllocator twin = allocator("", device, EffectListeners.NONE);
    twin.restore(layout(allocator));
    twin.releasePool(3, PoolId.unnamed(3));
    twin.free(0);
    twin.emptyPool(3);
    assertEquals(0, twin.reservedBytes());
    assertEquals(0, device.usedBytes());
  }

  @Test
  void aBlockIsTakenWhereItWasAndElsewhereWhereItDoesNotFit() {
    CachingAllocator allocator = allocator("", device, EffectListeners.NONE);
    long first = allocator.allocate(0, 8 * MIB, 0, 0);
    allocator.allocate(1, MIB * 2, 0, 0);
    long last = first + 10 * MIB;
    assertEquals(last, allocator.restoreBlock(2, 4 * MIB, 0, 0, last));
    assertEquals(6 * MIB, allocator.freeBytesAt(last + 4 * MIB, 0, 0));
    assertEquals(last + 4 * MIB, allocator.restoreBlock(3, 6 * MIB, 0, 0, last + 4 * MIB));
    assertEquals(20 * MIB, allocator.reservedBytes());
    assertNotEquals(first, allocator.restoreBlock(4, MIB, 0, 0, first));
    allocator.free(0);
    assertNotEquals(first, allocator.restoreBlock(5, 9 * MIB, 0, 0, first));
  }

  @Test
  void aBlockOfExactlyTheSizeIsTakenWholeThoughAnotherWouldBeFirst() {
    CachingAllocator allocator = allocator("", device, EffectListeners.NONE);
    allocator.allocate(0, 30 * MIB, 0, 0);
    long second = allocator.allocate(1, 30 * MIB, 0, 0);
    allocator.free(0);
    allocator.free(1);
    int blocks = MemoryLayout.of(allocator).blockCount();
    assertEquals(second, allocator.restoreBlock(2, 30 * MIB, 0, 0, second));
    assertEquals(blocks, MemoryLayout.of(allocator).blockCount());
  }

  @Test
  void whatDoesNotFitWhereItWasIsServedElsewhere() {
    CachingAllocator allocator = allocator("", device, EffectListeners.NONE);
    long first = allocator.allocate(0, 30 * MIB, 0, 0);
    long second = allocator.allocate(1, 40 * MIB, 0, 0);
    allocator.free(0);
    allocator.free(1);
    assertEquals(second, allocator.restoreBlock(2, 40 * MIB, 0, 0, first));
  }

  @Test
  void aPoolThatDoesNotExistHasNothingCached() {
    CachingAllocator allocator = allocator("", device, EffectListeners.NONE);
    long address = allocator.allocate(0, 30 * MIB, 0, 0);
    allocator.free(0);
    assertEquals(address, allocator.cachedAddressFor(30 * MIB, 0, 0));
    assertEquals(-1, allocator.cachedAddressFor(30 * MIB, 0, 7));
  }

  /** Releases that order by the age of segments take the highest of old ones for the oldest. */
  @ParameterizedTest
  @EnumSource(names = {"V2_11", "V2_14"})
  void restoredSegmentsAreOlderThanNewOnes(PyTorchVersion version) {
    CachingAllocator before = allocator("", device, EffectListeners.NONE);
    long low = before.allocate(0, 30 * MIB, 0, 0);
    long high = before.allocate(1, 30 * MIB, 0, 0);
    CachingAllocator allocator =
        new CachingAllocator(AllocatorConfig.DEFAULT, version, -1, device, EffectListeners.NONE);
    allocator.restore(layout(before));
    long made = allocator.allocate(2, 30 * MIB, 0, 0);
    for (int allocation = 0; allocation < 3; allocation++) {
      allocator.free(allocation);
    }
    List<Long> order = version == PyTorchVersion.V2_11 ? List.of(low, high) : List.of(high, low);
    assertEquals(order.get(0), allocator.allocate(3, 30 * MIB, 0, 0));
    assertEquals(order.get(1), allocator.allocate(4, 30 * MIB, 0, 0));
    assertEquals(made, allocator.allocate(5, 30 * MIB, 0, 0));
  }

  @Test
  void garbageIsForeseen() throws ConfigException {
    AllocatorConfig config =
        ConfigParser.parse("garbage_collection_threshold:0.5", PyTorchVersion.V2_11).allocator();
    CachingAllocator allocator =
        new CachingAllocator(config, PyTorchVersion.V2_11, 100 * MIB, device, EffectListeners.NONE);
    long first = allocator.allocate(0, 50 * MIB, 0, 0);
    allocator.free(0);
    assertFalse(allocator.exceedsGarbageThreshold());
    allocator.allocate(1, 4 * MIB, 1, 0);
    assertTrue(allocator.exceedsGarbageThreshold());
    assertEquals(first, allocator.firstGarbageAddress());
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(2, 30 * MIB, 1, 0));
    assertEquals(-1, allocator.firstGarbageAddress());
  }
}
