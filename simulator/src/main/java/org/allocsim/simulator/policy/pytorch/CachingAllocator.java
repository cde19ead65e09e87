package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrder;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.RestorablePolicy;
import org.allocsim.simulator.policy.use.DeferredFrees;
import org.allocsim.simulator.policy.use.StreamUses;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.PoolId;
import org.jspecify.annotations.Nullable;

/**
 * PyTorch's caching allocator of one CUDA device.
 *
 * <p><b>Rules.</b> Requests are rounded to 512 bytes (or to divisions of powers of two) and served
 * by best fit, lowest address among equals (since 2.13 oldest segment first), from the free blocks
 * of the same pool and stream. What does not fit is served by a new segment: 2 MiB for requests up
 * to 1 MiB, 20 MiB up to 10 MiB, else the request in steps of 2 MiB; or by mapping pages into an
 * expandable segment. Blocks are split and merged with their neighbours. When memory is refused,
 * cached memory is returned to the device in a fixed order and the request is tried again. A block
 * used on another stream becomes reusable when that use has finished.
 *
 * <p><b>Source.</b> pytorch/pytorch, {@code c10/cuda/CUDACachingAllocator.cpp} and {@code
 * c10/core/AllocatorConfig.h}, release 2.11.
 *
 * <p><b>Deviations.</b> PyTorch visits streams with finished events in the order of a hash map;
 * here that order is the completion rank. Of released private pools it is that of PyTorch's map,
 * where PyTorch numbered them ({@link GivenUpPools}). A request routed to a private pool counts as
 * made during a capture before 2.13; frees made then are not deferred, because the trace shows when
 * their stream uses are complete. In captures that are named ({@link #capture}) they are.
 *
 * <p><b>Cost.</b> A request takes time logarithmic in the number of free blocks of its pool and
 * stream; expandable growth is linear in the number of unmapped ranges. <b>Limits.</b> One device,
 * one thread.
 */
public final class CachingAllocator implements RestorablePolicy {

  private final PyTorchVersion version;
  private AllocatorConfig config;
  private boolean limitsSplits;

  /**
   * Whether most requests are served without looking at the settings or at the age of blocks, and
   * without a listener.
   */
  private boolean servesPlainly;

  /** Reads the settings to which they change; null where no changes are expected. */
  private @Nullable SettingsChange settingsChange;

  /** Those of the default pools where requests are served plainly, else no lists at all. */
  private FreeLists plainLists;

  private final long segmentRoundBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private long limitBytes;
  private RefusedRequests refused;

  private final BlockTable blocks;
  private final StreamUses uses = new StreamUses();
  private final DeferredFrees deferred = new DeferredFrees(uses);
  private final ReservedMemory reserved = new ReservedMemory();
  private final Pools pools;
  private final FreeLists defaultLists;
  private final BlockPool defaultSmall;
  private final BlockPool defaultLarge;
  private final ExpandableSegments expandables;
  private CacheRelease release;

  /** Whether calls are made while a graph is captured. */
  private boolean capturing;

  private Block[] blockOfAllocation = new Block[1024];

  /**
   * An allocator that holds nothing.
   *
   * @param config its settings
   * @param version the release whose rules it follows
   * @param limitBytes bytes that it may hold from the device, −1 for no limit
   * @param device where its segments come from
   * @param listener receives what it does
   */
  public CachingAllocator(
      AllocatorConfig config,
      PyTorchVersion version,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this(config, version, RequestSizes.SEGMENT_ROUND_BYTES, limitBytes, device, listener);
  }

  /**
   * As above, for programs that carry a changed copy of PyTorch's allocator.
   *
   * @param segmentRoundBytes granularity of segments made for one request; PyTorch's is 2 MiB
   */
  public CachingAllocator(
      AllocatorConfig config,
      PyTorchVersion version,
      long segmentRoundBytes,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this.version = version;
    blocks = new BlockTable(version.ordersBySegmentAge());
    pools = new Pools(growsSegments(config), version, listener);
    defaultLists = pools.defaultLists;
    defaultSmall = pools.defaultSmall;
    defaultLarge = pools.defaultLarge;
    this.segmentRoundBytes = segmentRoundBytes;
    this.device = device;
    this.listener = listener;
    expandables = new ExpandableSegments(blocks, device, listener, reserved, config);
    this.config = config;
    this.limitBytes = limitBytes;
    limitsSplits = limitsSplits(config);
    refused = new RefusedRequests(limitBytes, device, listener);
    release = release(config, limitBytes);
    servesPlainly =
        config.roundupDivisions().isPlain()
            && !limitsSplits
            && !release.collectsGarbage
            && defaultSmall.effects.others() == null;
    plainLists = servesPlainly ? defaultLists : new FreeLists();
  }

  private boolean growsSegments(AllocatorConfig settings) {
    return settings.expandableSegments() && version.hasExpandableSegments();
  }

  private static boolean limitsSplits(AllocatorConfig settings) {
    return settings.maxSplitBytes() != AllocatorConfig.UNLIMITED;
  }

  private CacheRelease release(AllocatorConfig settings, long bytes) {
    return new CacheRelease(
        settings, bytes, device, listener, blocks, pools, expandables, reserved);
  }

  /** The settings after a string; unchanged if the release refuses it. */
  @FunctionalInterface
  public interface SettingsChange {
    /** The settings after a change from {@code before} by {@code text}. */
    AllocatorConfig apply(AllocatorConfig before, String text, PyTorchVersion version);
  }

  /**
   * Declares that settings, limit or captures change while requests are served, which costs every
   * request some time; to be called before the first one.
   *
   * @param change reads the settings to which they change
   */
  public void expectChanges(SettingsChange change) {
    settingsChange = change;
    servesPlainly = false;
    plainLists = new FreeLists();
  }

  /**
   * Changes the settings from now on, as {@code torch.cuda.memory._set_allocator_settings} makes
   * them. Blocks and segments stay as they are. {@link AllocatorConfig#perProcessMemoryFraction}
   * counts at the start of a process only; {@link #changeLimit} changes the limit.
   *
   * @throws IllegalStateException where {@link #expectChanges} was not called
   */
  @Override
  public void changeSettings(String text) {
    if (settingsChange == null) {
      throw new IllegalStateException("unexpected changes");
    }
    AllocatorConfig settings = settingsChange.apply(config, text, version);
    change(settings, limitBytes);
    limitsSplits = limitsSplits(settings);
    expandables.largePageBytes = settings.largeSegmentBytes();
    expandables.reservedRange = settings.reservedRange();
    pools.grow(growsSegments(settings));
    listener.splitLimitChanged(settings.maxSplitBytes());
  }

  /** The current settings. */
  public AllocatorConfig settings() {
    return config;
  }

  /**
   * Changes the limit from now on, as {@code torch.cuda.set_per_process_memory_fraction} makes it.
   * What is held beyond it stays.
   *
   * @param bytes the limit, −1 for none
   * @throws IllegalStateException where {@link #expectChanges} was not called
   */
  @Override
  public void changeLimit(long bytes) {
    change(config, bytes);
    refused = new RefusedRequests(bytes, device, listener);
  }

  private void change(AllocatorConfig settings, long bytes) {
    if (servesPlainly) {
      throw new IllegalStateException("unexpected changes");
    }
    config = settings;
    limitBytes = bytes;
    release = release(settings, bytes);
  }

  /**
   * Whether calls from now on are made in a capture of a graph: finished uses are not looked for
   * then, frees of used blocks wait, and the default pool keeps its cache. From 2.13 on that is so
   * while the current stream is captured, before while any is.
   */
  public void capture(boolean underWay) {
    capturing = underWay;
  }

  /** Declares how a private pool is made; to be called before its first request. */
  public void definePool(int pool, PrivatePoolOptions options) {
    pools.define(pool, options);
  }

  @Override
  @SuppressWarnings("NullAway") // a block is found in a list only
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    // Most requests: of what follows nothing but the last step calls what is not compiled in here,
    // so that the compiler can keep everything in registers.
    if (pool == 0
        && isSizeServed(requestedBytes)
        && !uses.anyFinished()
        && Integer.compareUnsigned(allocation, blockOfAllocation.length) < 0
        && blocks.haveUnused()) {
      long roundedBytes = RequestSizes.roundPlainly(requestedBytes);
      FreeList list = plainLists.find(stream, roundedBytes);
      Block block = list == null ? null : list.mapped.takeCeilingAtOnce(roundedBytes);
      if (block != null && (!block.isExpandable() || isTakenAtOnce(block, list))) {
        return handOutFound(allocation, requestedBytes, roundedBytes, block, list);
      }
      if (list != null && (block == null || list.grows)) {
        return allocateBySearch(allocation, requestedBytes, roundedBytes, block, list);
      }
      if (block != null) {
        // Pools that do not grow leave what they have of segments that do.
        list.mapped.add(block);
      }
    }
    return allocateInGeneral(allocation, requestedBytes, stream, pool);
  }

  /**
   * As {@link #allocate} for a plain request that no block serves at once.
   *
   * @param first the first block that fits, which could grow and is in no list; null where it has
   *     to be looked for
   */
  private long allocateBySearch(
      int allocation,
      long requestedBytes,
      long roundedBytes,
      @Nullable Block first,
      FreeList list) {
    Block block = first == null ? findFree(list, roundedBytes, list.grows) : minGrowth(list, first);
    if (block == null) {
      return allocateInGeneral(allocation, requestedBytes, list.stream, 0);
    }
    if (block != first) {
      list.remove(block);
    }
    return handOutFound(allocation, requestedBytes, roundedBytes, block, list);
  }

  /** As {@link #minGrowth(SizeOrder, Block)} for a start that has been taken out of its list. */
  private Block minGrowth(FreeList list, Block start) {
    Block next = list.mapped.ceiling(start.bytes(), start.position());
    if (next == null || expandables.expandableBytes(next) >= expandables.expandableBytes(start)) {
      return start;
    }
    list.mapped.add(start);
    return minGrowth(list.mapped, next);
  }

  /** Hands out a block, which is in no list, or its front. */
  private long handOutFound(
      int allocation, long requestedBytes, long roundedBytes, Block block, FreeList list) {
    long blockBytes = block.bytes();
    long restBytes = blockBytes - roundedBytes;
    if (!list.splits(restBytes)) {
      BlockReports.countTaken(block, list);
      return handOut(allocation, requestedBytes, block, blockBytes, list);
    }
    BlockReports.countSplitOff(roundedBytes, block, list);
    Block front = blocks.splitFrontUnused(block, roundedBytes);
    long address = handOut(allocation, requestedBytes, front, roundedBytes, list);
    list.mapped.add(block, restBytes);
    return address;
  }

  private static boolean isSizeServed(long requestedBytes) {
    // In one comparison: 0 is the largest of all.
    return Long.compareUnsigned(requestedBytes - 1, RequestSizes.ONE_EXABYTE - 1) < 0;
  }

  /** Whether a request takes the first block that fits, which is one of an expandable segment. */
  private boolean isTakenAtOnce(Block block, FreeList list) {
    return list.grows && !expandables.canGrow(block);
  }

  private long allocateInGeneral(int allocation, long requestedBytes, int stream, int pool) {
    if (!isSizeServed(requestedBytes)) {
      return requestedBytes == 0
          ? 0
          : reject(
              allocation,
              requestedBytes,
              "CUDA out of memory. Tried to allocate more than 1EB memory.");
    }
    if (!capturing && !deferred.isEmpty()) {
      freeDeferred();
    }
    if (uses.anyFinished() && (!isCapturing(pool) || config.graphCaptureRecordStreamReuse())) {
      completeFinishedFrees();
    }
    long roundedBytes = RequestSizes.round(requestedBytes, config.roundupDivisions());
    BlockPool blockPool = poolFor(roundedBytes, pool);
    FreeList list = blockPool.list(stream);
    boolean grows = blockPool.grows;
    Block block = takeFree(list, roundedBytes, grows);
    if (block == null) {
      if (exceedsDevice(roundedBytes)) {
        return reject(
            allocation,
            requestedBytes,
            "CUDA out of memory. Allocation was preemptively rejected because it would exceed"
                + " per_process_memory_fraction limit. Requested size: "
                + ByteFormat.formatSize(requestedBytes));
      }
      block = obtain(list, roundedBytes, grows, isCapturing(pool));
      if (block == null) {
        reportOutOfMemory(allocation, requestedBytes, roundedBytes, stream);
        return OUT_OF_MEMORY;
      }
      // What the device gave can grow; what a pool for emergencies had cannot.
      grows &= block.isExpandable();
    }
    boolean finely = grows || (blockPool.splitsFinely && !blockPool.grows);
    boolean splits =
        block.list.splits(block.bytes() - roundedBytes, finely)
            && !isTooLargeToSplit(block.list, roundedBytes, finely);
    return handOutAndReport(allocation, requestedBytes, roundedBytes, block, splits);
  }

  /** Whether a request is rejected before the device is asked and the cache is emptied. */
  private boolean exceedsDevice(long roundedBytes) {
    return config.rejectsBeyondDevice()
        && limitBytes < 0
        && device.totalBytes() >= 0
        && reserved.bytes + segmentBytesFor(roundedBytes) > device.totalBytes();
  }

  private long reject(int allocation, long requestedBytes, String reason) {
    listener.requestRejected(allocation, requestedBytes, reason);
    return OUT_OF_MEMORY;
  }

  @Override
  public void free(int allocation) {
    Block block = blockOf(allocation);
    if (block == null) {
      return;
    }
    if (!block.isAllocatedPlainly()) {
      freeInGeneral(allocation, block);
      return;
    }
    FreeList list = block.list;
    long freedBytes = block.bytes();
    int absorbed = merge(allocation, block, list);
    list.counters.countFreed(block.requestedBytes, freedBytes);
    BlockReports.countMerged(block, list, freedBytes, absorbed);
    list.mapped.add(block);
  }

  /** Frees a block that may be in use elsewhere, or whose free is reported. */
  private void freeInGeneral(int allocation, Block block) {
    if (block.isPending() || uses.has(block.number)) {
      freeUsed(block);
    } else {
      freeUnused(allocation, block, block.list);
    }
  }

  private void freeUsed(Block block) {
    if (block.isPending()) {
      // The first half of this free lies before the start of the recording.
      uses.forget(block.number);
      completeFree(block);
      return;
    }
    FreeList list = block.list;
    list.effects.freeRequested(
        block.allocation(), block.address(), block.requestedBytes, block.bytes(), list.stream);
    block.setPending();
    if (capturing) {
      deferred.free(block.number);
    } else {
      deferred.forget(block.number);
      uses.free(block.number);
    }
  }

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    Block block = blockOf(allocation);
    if (block == null || stream == block.list.stream) {
      return;
    }
    uses.add(block.number, block.list.pool.owner, block.isPending(), stream, completionRank);
    block.watch();
    if (capturing && !block.isPending()) {
      deferred.use(block.number, stream);
    }
  }

  @Override
  public void useComplete(int allocation, int stream) {
    Block block = blockOf(allocation);
    if (block != null) {
      uses.complete(block.number, stream);
    }
  }

  @Override
  public void synchronize() {
    uses.completeAll();
  }

  @Override
  public void emptyCache() {
    if (!capturing) {
      synchronizeAndFree(StreamUses.ALL_GROUPS);
      release.releaseDefaultPool();
    }
    release.releasePrivatePools(0);
  }

  @Override
  public void releasePool(int pool, PoolId id) {
    pools.giveUp(pool, id);
  }

  @Override
  public void emptyPool(int pool) {
    PrivatePool emptied = pools.findPrivate(pool);
    // A pool that never served a request is not known here, and PyTorch waits for that, too.
    if (pool != 0 && (emptied == null || emptied.releasable)) {
      synchronizeAndFree(pool);
      release.releasePrivatePools(pool);
    }
  }

  @Override
  public long restoreBlock(int allocation, long blockBytes, int stream, int pool, long address) {
    Block block = freeBlockAt(address, stream, pool);
    if (block == null || block.bytes() < blockBytes) {
      return allocate(allocation, blockBytes, stream, pool);
    }
    block.list.remove(block);
    return handOutAndReport(allocation, blockBytes, blockBytes, block, block.bytes() > blockBytes);
  }

  @Override
  public void restore(MemoryLayout layout) {
    new LayoutRestoration(blocks, pools, expandables, reserved, this::remember).restore(layout);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    new LayoutDescription(blocks).describe(visitor);
  }

  /** Bytes held from the device. */
  public long reservedBytes() {
    return reserved.bytes;
  }

  /**
   * Address at which a request would be served from a cached block, or −1 where it would have to
   * ask the device.
   */
  public long cachedAddressFor(long requestedBytes, int stream, int pool) {
    long roundedBytes = config.blockBytesFor(requestedBytes);
    BlockPool blockPool = pools.find(pool, roundedBytes <= RequestSizes.SMALL_REQUEST_BYTES);
    if (blockPool == null) {
      return -1;
    }
    Block block = findFree(blockPool.list(stream), roundedBytes, blockPool.grows);
    return block == null ? -1 : block.address();
  }

  /** Bytes of the free block of a pool and stream that starts at an address, 0 if there is none. */
  public long freeBytesAt(long address, int stream, int pool) {
    Block block = freeBlockAt(address, stream, pool);
    return block == null ? 0 : block.bytes();
  }

  /**
   * Address of the first segment that a request which finds no block would release for its age, or
   * −1 where it would release none.
   */
  public long firstGarbageAddress() {
    Block[] garbage = release.garbage();
    return garbage.length == 0 ? -1 : garbage[0].address();
  }

  /** Whether so much is reserved that a request which finds no block looks for old segments. */
  public boolean exceedsGarbageThreshold() {
    return release.exceedsGarbageThreshold();
  }

  /**
   * Requests for the default pool so far for which everything was looked at that settings may ask.
   */
  long searches() {
    return defaultSmall.lookups + defaultLarge.lookups;
  }

  // Requests.

  /** The pool of a request; the default one, which most are for, at once. */
  private BlockPool poolFor(long roundedBytes, int pool) {
    if (pool != 0) {
      return pools.obtain(pool, roundedBytes <= RequestSizes.SMALL_REQUEST_BYTES);
    }
    return roundedBytes <= RequestSizes.SMALL_REQUEST_BYTES ? defaultSmall : defaultLarge;
  }

  private @Nullable Block takeFree(FreeList list, long roundedBytes, boolean grows) {
    list.pool.lookups++;
    if (release.collectsGarbage) {
      list.pool.countedLookups++;
    }
    Block block = findFree(list, roundedBytes, grows);
    if (block != null) {
      list.remove(block);
    }
    return block;
  }

  private @Nullable Block findFree(FreeList list, long roundedBytes, boolean grows) {
    SizeOrder<Block> free = list.mapped;
    Block block = free.ceiling(roundedBytes);
    if (block != null && block.isExpandable()) {
      if (grows) {
        block = minGrowth(free, block);
      } else {
        while (block != null && block.isExpandable()) {
          block = free.next(block);
        }
      }
    }
    if (block == null || !limitsSplits) {
      return block;
    }
    long blockBytes = block.bytes();
    if (config.isOversize(roundedBytes)) {
      boolean tooLarge =
          Long.compareUnsigned(blockBytes, roundedBytes + config.maxNonSplitRoundingBytes()) >= 0;
      return tooLarge ? null : block;
    }
    return config.isOversize(blockBytes) ? null : block;
  }

  /**
   * Walks on while the next block could grow to less: small free ends are used up first. Blocks
   * that cannot grow only get larger, so the walk ends after the first of them.
   */
  private Block minGrowth(SizeOrder<Block> free, Block start) {
    Block block = start;
    while (expandables.canGrow(block)) {
      Block candidate = free.next(block);
      if (candidate == null
          || expandables.expandableBytes(candidate) >= expandables.expandableBytes(block)) {
        break;
      }
      block = candidate;
    }
    return block;
  }

  private boolean isCapturing(int pool) {
    return capturing || (pool != 0 && !version.processesEventsInUserPools());
  }

  /**
   * A block of at least {@code roundedBytes}, in no list, that the device has to give memory for:
   * where it refuses, cached memory goes back to it step by step.
   *
   * @return the block, which may be one of another pool, or null when memory is out
   */
  private @Nullable Block obtain(
      FreeList list, long roundedBytes, boolean grows, boolean capturing) {
    long segmentBytes = segmentBytesFor(roundedBytes);
    release.collectGarbage();
    Block block = grow(list, roundedBytes, segmentBytes, grows, false);
    if (block == null && list.pool.privatePool == null) {
      block = takeFromPoolForEmergencies(list.stream, roundedBytes, list.small);
    }
    if (block == null && release.releaseOversize(list, roundedBytes)) {
      block = grow(list, roundedBytes, segmentBytes, grows, false);
    }
    if (block == null && !capturing) {
      emptyCache();
      block = grow(list, roundedBytes, segmentBytes, grows, true);
    }
    return block;
  }

  private long segmentBytesFor(long roundedBytes) {
    return RequestSizes.segmentBytes(roundedBytes, config.largeSegmentBytes(), segmentRoundBytes);
  }

  /** Obtains memory from the device; null where limit or device refuse. */
  private @Nullable Block grow(
      FreeList list, long roundedBytes, long segmentBytes, boolean grows, boolean retry) {
    if (retry) {
      listener.allocationRetried();
    }
    if (limitBytes >= 0 && reserved.bytes + segmentBytes > limitBytes) {
      return null;
    }
    Block block = grows ? expandables.allocate(list, roundedBytes) : newSegment(list, segmentBytes);
    PrivatePool owner = list.pool.privatePool;
    if (block != null && owner != null) {
      owner.deviceAllocations++;
    }
    return block;
  }

  private @Nullable Block newSegment(FreeList list, long segmentBytes) {
    long address = device.allocate(segmentBytes);
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    reserved.bytes += segmentBytes;
    listener.segmentAllocated(address, segmentBytes, list.stream, list.small);
    return blocks.createSegment(address, segmentBytes, list);
  }

  private @Nullable Block takeFromPoolForEmergencies(int stream, long roundedBytes, boolean small) {
    for (PrivatePool candidate : pools.allPrivate()) {
      if (candidate.options.useOnOom() && !candidate.releasable) {
        Block block = takeFree(candidate.kind(small).list(stream), roundedBytes, false);
        if (block != null) {
          return block;
        }
      }
    }
    return null;
  }

  private boolean isTooLargeToSplit(FreeList list, long roundedBytes, boolean finely) {
    return limitsSplits && !list.small && !finely && config.isOversize(roundedBytes);
  }

  /** Hands out the first bytes of a block that is in no list, or all of it, and reports it. */
  private long handOutAndReport(
      int allocation, long requestedBytes, long roundedBytes, Block block, boolean splits) {
    FreeList list = block.list;
    boolean wasSplit = block.isSplit();
    if (!splits) {
      BlockReports.countTaken(block, list);
      long address = handOut(allocation, requestedBytes, block, block.bytes(), list);
      watchUnlessPlain(block);
      if (wasSplit) {
        BlockReports.reportInactiveSplit(block, -1, -block.bytes());
      }
      BlockReports.reportAllocated(block);
      return address;
    }
    BlockReports.countSplitOff(roundedBytes, block, list);
    Block front = blocks.splitFront(block, roundedBytes);
    long address = handOut(allocation, requestedBytes, front, roundedBytes, list);
    watchUnlessPlain(front);
    list.add(block);
    BlockReports.reportInactiveSplit(
        block, wasSplit ? 0 : 1, wasSplit ? -roundedBytes : block.bytes());
    BlockReports.reportAllocated(front);
    return address;
  }

  private void watchUnlessPlain(Block block) {
    if (!servesPlainly) {
      block.watch();
    }
  }

  /** Hands out a block, which is in no list but belongs to one, and counts it. */
  private long handOut(
      int allocation, long requestedBytes, Block block, long blockBytes, FreeList list) {
    block.setAllocated(allocation, requestedBytes);
    remember(allocation, block);
    list.counters.countAllocated(requestedBytes, blockBytes);
    return block.address();
  }

  private void reportOutOfMemory(
      int allocation, long requestedBytes, long roundedBytes, int stream) {
    refused.report(
        allocation,
        requestedBytes,
        roundedBytes,
        segmentBytesFor(roundedBytes),
        stream,
        pools.privateFreeBytes());
  }

  // Frees.

  private void completeFinishedFrees() {
    for (int done = uses.pollFinished(); done != StreamUses.NONE; done = uses.pollFinished()) {
      completeFree(blocks.block(done));
    }
  }

  private void synchronizeAndFree(int owner) {
    listener.streamsSynchronized();
    freeDeferred();
    uses.synchronize(owner, number -> completeFree(blocks.block(number)));
  }

  private void freeDeferred() {
    deferred.end(number -> completeFree(blocks.block(number)));
  }

  private void completeFree(Block block) {
    FreeList list = block.list;
    list.effects.freeCompleted(
        block.allocation(), block.address(), block.requestedBytes, block.bytes(), list.stream);
    releaseAndReport(block.allocation(), block, list);
  }

  /**
   * Makes a block of a list free that is in use nowhere, and lets it absorb free neighbours.
   *
   * @return number of neighbours absorbed
   */
  private int merge(int allocation, Block block, FreeList list) {
    blockOfAllocation[allocation] = null;
    block.setFree();
    return blocks.mergeNeighbours(block, list, true);
  }

  private void freeUnused(int allocation, Block block, FreeList list) {
    list.counters.countFreed(block.requestedBytes, block.bytes());
    BlockReports.reportFreed(allocation, block, list);
    releaseAndReport(allocation, block, list);
  }

  /** Makes a block free, and reports it. */
  private void releaseAndReport(int allocation, Block block, FreeList list) {
    long freedBytes = block.bytes();
    int absorbed = merge(allocation, block, list);
    BlockReports.countMerged(block, list, freedBytes, absorbed);
    list.add(block);
    if (block.isSplit()) {
      BlockReports.reportInactiveSplit(block, 1 - absorbed, freedBytes);
    } else if (absorbed > 0) {
      BlockReports.reportInactiveSplit(block, -absorbed, freedBytes - block.bytes());
    }
  }

  // Allocation ids.

  private @Nullable Block blockOf(int allocation) {
    return allocation >= 0 && allocation < blockOfAllocation.length
        ? blockOfAllocation[allocation]
        : null;
  }

  private void remember(int allocation, Block block) {
    Block[] known = blockOfAllocation;
    if (Integer.compareUnsigned(allocation, known.length) < 0) {
      known[allocation] = block;
    } else {
      rememberAfterEnd(allocation, block);
    }
  }

  private void rememberAfterEnd(int allocation, Block block) {
    int length = blockOfAllocation.length;
    int most = Math.max(allocation + 1, length + (length >> 1));
    blockOfAllocation = Arrays.copyOf(blockOfAllocation, most);
    blockOfAllocation[allocation] = block;
  }

  /** The free block of a pool, of either kind, that starts at an address. */
  private @Nullable Block freeBlockAt(long address, int stream, int pool) {
    for (boolean small : new boolean[] {true, false}) {
      BlockPool blockPool = pools.find(pool, small);
      if (blockPool != null) {
        SizeOrder<Block> free = blockPool.list(stream).mapped;
        for (Block block = free.first(); block != null; block = free.next(block)) {
          if (block.address() == address) {
            return block;
          }
        }
      }
    }
    return null;
  }
}
