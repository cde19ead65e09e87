package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/**
 * Drives a {@link CachingAllocator} on a {@link ScriptedDevice} with named allocations, and checks
 * the layout and the statistics after every step.
 */
final class AllocatorScript {
  static final long K = 1L << 10;
  static final long M = 1L << 20;

  final MemoryStats stats;
  final CachingAllocator allocator;

  private final ScriptedDevice device;
  private final EffectText effects = new EffectText();
  private final Map<String, Integer> names = new HashMap<>();
  private String message;
  private int nextAllocation;
  private long completionRank;

  private AllocatorScript(
      String conf, PyTorchVersion version, long limitBytes, long capacityBytes) {
    AllocatorConfig config;
    try {
      config = ConfigParser.parse(conf, version).allocator();
    } catch (ConfigException e) {
      throw new AssertionError(e);
    }
    device = new ScriptedDevice(capacityBytes);
    stats = new MemoryStats(config.maxSplitBytes());
    EffectListener messages =
        new EffectListener() {
          @Override
          public void outOfMemory(OutOfMemory failure) {
            message =
                new OutOfMemoryMessage(
                        0,
                        failure.segmentBytes(),
                        failure.deviceTotalBytes(),
                        failure.deviceFreeBytes(),
                        failure.limitBytes(),
                        stats.allocatedBytes(),
                        stats.reservedBytes(),
                        failure.privateFreeBytes(),
                        "")
                    .text(OutOfMemoryMessage.Template.V2_11);
          }
        };
    allocator =
        new CachingAllocator(
            config, version, limitBytes, device, EffectListeners.all(effects, stats, messages));
  }

  /** Default settings, no limit, a device that is never full. */
  static AllocatorScript plain() {
    return with("");
  }

  static AllocatorScript with(String conf) {
    return onDevice(conf, ScriptedDevice.UNLIMITED_BYTES);
  }

  static AllocatorScript limited(String conf, long limitBytes) {
    return new AllocatorScript(
        conf, PyTorchVersion.V2_11, limitBytes, ScriptedDevice.UNLIMITED_BYTES);
  }

  static AllocatorScript onDevice(String conf, long capacityBytes) {
    return onDevice(conf, PyTorchVersion.V2_11, capacityBytes);
  }

  static AllocatorScript onDevice(String conf, PyTorchVersion version, long capacityBytes) {
    return new AllocatorScript(conf, version, -1, capacityBytes);
  }

  /** Requests bytes on stream 0; the effects must be these. */
  AllocatorScript alloc(String name, long bytes, String expected) {
    return alloc(name, bytes, 0, 0, expected);
  }

  AllocatorScript alloc(String name, long bytes, int stream, String expected) {
    return alloc(name, bytes, stream, 0, expected);
  }

  AllocatorScript alloc(String name, long bytes, int stream, int pool, String expected) {
    int id = nextAllocation++;
    names.put(name, id);
    allocator.allocate(id, bytes, stream, pool);
    return expect(expected);
  }

  /** Requests bytes whose effects are of no interest. */
  AllocatorScript alloc(String name, long bytes) {
    return alloc(name, bytes, 0);
  }

  AllocatorScript alloc(String name, long bytes, int stream) {
    return alloc(name, bytes, stream, 0);
  }

  AllocatorScript alloc(String name, long bytes, int stream, int pool) {
    int id = nextAllocation++;
    names.put(name, id);
    allocator.allocate(id, bytes, stream, pool);
    return check();
  }

  /** Gives allocations back, in this order. */
  AllocatorScript free(String... freed) {
    for (String name : freed) {
      allocator.free(id(name));
      check();
    }
    return this;
  }

  AllocatorScript use(String name, int stream) {
    allocator.useStream(id(name), stream, completionRank++);
    return this;
  }

  AllocatorScript done(String name) {
    return done(name, AllocationTrace.ANY_STREAM);
  }

  AllocatorScript done(String name, int stream) {
    allocator.useComplete(id(name), stream);
    return this;
  }

  AllocatorScript synchronize() {
    allocator.synchronize();
    return this;
  }

  AllocatorScript emptyCache() {
    allocator.emptyCache();
    return check();
  }

  AllocatorScript emptyCache(String expected) {
    allocator.emptyCache();
    return expect(expected);
  }

  /** Deletes a private pool: its last owner goes, then its cache is emptied. */
  AllocatorScript deletePool(int pool, String expected) {
    allocator.releasePool(pool, PoolId.unnamed(pool));
    allocator.emptyPool(pool);
    return expect(expected);
  }

  /** Forgets the effects so far. */
  AllocatorScript ignore() {
    effects.take();
    return this;
  }

  /** The effects since the last expectation (or {@link #ignore}) must be these. */
  AllocatorScript expect(String expected) {
    assertEquals(expected, effects.take());
    return check();
  }

  AllocatorScript expectStat(String key, long value) {
    assertEquals(value, stats.get(key), key);
    return this;
  }

  /** Size of the block of an active allocation. */
  AllocatorScript expectBlock(String name, long bytes) {
    assertEquals(bytes, blockOf(name).bytes(), "block of " + name);
    return this;
  }

  /** Size of the free block right after an active allocation's block. */
  AllocatorScript expectFreeBehind(String name, long bytes) {
    LayoutCheck.Block block = blockOf(name);
    LayoutCheck.Block after = layout().blockAt.get(block.address() + block.bytes());
    assertNotNull(after, "no block after " + name);
    assertEquals(BlockState.INACTIVE, after.state());
    assertEquals(bytes, after.bytes());
    return this;
  }

  /** The message of the last OOM. */
  String message() {
    return message;
  }

  LayoutCheck.Block blockOf(String name) {
    LayoutCheck.Block block = layout().blockOf.get(id(name));
    assertNotNull(block, name + " is not active");
    return block;
  }

  LayoutCheck layout() {
    return LayoutCheck.of(allocator, stats);
  }

  private AllocatorScript check() {
    assertEquals(device.usedBytes(), stats.reservedBytes());
    assertEquals(device.usedBytes(), allocator.reservedBytes());
    layout();
    return this;
  }

  private int id(String name) {
    Integer id = names.get(name);
    assertNotNull(id, "no allocation " + name);
    return id;
  }
}
