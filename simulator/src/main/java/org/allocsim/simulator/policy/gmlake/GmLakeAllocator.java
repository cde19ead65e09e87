package org.allocsim.simulator.policy.gmlake;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.use.StreamUses;
import org.jspecify.annotations.Nullable;

/**
 * GMLake: PyTorch's caching allocator whose large memory consists of chunks of 2 MiB, so that free
 * blocks of several segments can be mapped one after the other and serve one request.
 *
 * <p><b>Rules.</b> Requests up to 1 MiB are served as in PyTorch 2.0. Larger ones are rounded to 2
 * MiB and served by the smallest free primitive block that is large enough; else by a stitched
 * block made earlier, all of whose chunks are free; else, from the fragmentation limit on, by
 * stitching free primitive blocks from the largest downwards; else by a new segment; else after
 * releasing the cache. A stitched block stays mapped when it is freed and is reusable while none of
 * its chunks serves another request.
 *
 * <p><b>Source.</b> intelligent-machine-learning/glake 0274a9c (2024-07, the last before the
 * archive), {@code GMLake/src/CUDACachingAllocator.cpp}; paper arXiv 2401.08156. Where paper and
 * code differ the code is followed: it stitches before it asks the device.
 *
 * <p><b>Deviations.</b> The settings of {@code PYTORCH_CUDA_ALLOC_CONF} and private pools are not
 * modelled: every request is served from the common pools. Frees count as finished on the device at
 * once when stitched blocks are collected. Where memory after an active stitched block, but not
 * used by it, goes back to the device, all of it is unmapped; the code forgets all chunks but the
 * first, and shortens the list that it walks, and so keeps their memory until the block is freed.
 * Where free memory has all that a request lacks, and where the device refuses the rest, the code's
 * {@code realloc_block} leaves the error unset; here both are refusals. Streams are visited in the
 * order of their numbers; the code has hash maps there.
 *
 * <p>The layout shows the segments that physical memory was obtained with. A stitched allocation,
 * whose own address lies in none of them, is shown as the several primitive blocks that it uses.
 *
 * <p><b>Cost.</b> A request takes time logarithmic in the free blocks of its stream and linear in
 * the stitched blocks that map its segment; to stitch or to release takes time linear in chunks.
 * <b>Limits.</b> One device, one thread.
 */
public final class GmLakeAllocator implements AllocatorPolicy {
  private static final long MIN_BLOCK_BYTES = 512;
  private static final long SMALL_REQUEST_BYTES = 1L << 20;
  private static final long SMALL_SEGMENT_BYTES = 2L << 20;
  private static final long SHARED_SEGMENT_BYTES = 20L << 20;
  private static final long MIN_OWN_SEGMENT_BYTES = 10L << 20;
  private static final long CHUNK_BYTES = ChunkedSegment.CHUNK_BYTES;

  /** PyTorch refuses requests from here on before it asks the allocator. */
  private static final long ONE_EXABYTE = 1L << 60;

  /** No device has this many chunks (16 TiB), so none is asked for them. */
  private static final long MAX_CHUNKS = 1L << 23;

  private static final int COLLECT_ALL = 2;
  private static final int LEVEL_AFTER_REALLOCATION = 4;

  private static final byte UNUSED = 0;
  private static final byte ALLOCATED = 1;
  private static final byte PENDING = 2;

  private final GmLakeSettings settings;
  private final long limitBytes;
  private final DeviceMemory device;
  private final HandleMemory memory;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final PrimitiveBlocks blocks;
  private final StitchedBlocks stitched;
  private final StreamUses uses = new StreamUses();
  private long reservedBytes;

  private byte[] state = new byte[1024];
  private int[] firstPiece = new int[1024];
  private long[] requested = new long[1024];
  private long[] blockBytes = new long[1024];
  private StitchedBlock[] stitchedBy = new StitchedBlock[1024];

  /**
   * An allocator that holds nothing.
   *
   * @param settings what its environment says
   * @param limitBytes bytes that it may hold from the device, −1 for no limit
   * @param device where small segments and addresses come from
   * @param memory where large segments come from; not asked, thus null allowed, without stitching
   * @param listener receives what it does
   */
  @SuppressWarnings("NullAway") // large segments, which alone ask for it, are stitched
  public GmLakeAllocator(
      GmLakeSettings settings,
      long limitBytes,
      DeviceMemory device,
      @Nullable HandleMemory memory,
      EffectListener listener) {
    this.settings = settings;
    this.limitBytes = limitBytes;
    this.device = device;
    this.memory = memory;
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, device, listener);
    blocks = new PrimitiveBlocks(listener);
    stitched = new StitchedBlocks(device, memory);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes < 0 || requestedBytes >= ONE_EXABYTE) {
      listener.requestRejected(
          allocation,
          requestedBytes,
          "CUDA out of memory. Tried to allocate more than 1EB memory.");
      return OUT_OF_MEMORY;
    }
    completeFinishedFrees();
    long rounded = round(requestedBytes);
    boolean small = rounded <= SMALL_REQUEST_BYTES;
    remember(allocation, requestedBytes, rounded);
    int block = blocks.free(small, stream).ceiling(rounded, 0);
    if (block != PrimitiveBlocks.NONE) {
      blocks.unlist(block);
      return handOut(allocation, block, rounded);
    }
    if (!small) {
      long address = reuseStitched(allocation, rounded, stream);
      if (address == OUT_OF_MEMORY) {
        address = stitch(allocation, rounded, stream, 0);
      }
      if (address != OUT_OF_MEMORY) {
        return address;
      }
    }
    return allocateFromDevice(allocation, rounded, stream, small);
  }

  private long allocateFromDevice(int allocation, long rounded, int stream, boolean small) {
    long segmentBytes = segmentBytes(rounded);
    long address = grow(allocation, rounded, segmentBytes, stream, small);
    if (address == OUT_OF_MEMORY) {
      address = stitch(allocation, rounded, stream, 1);
    }
    if (address == OUT_OF_MEMORY) {
      releaseCached();
      listener.allocationRetried();
      address = grow(allocation, rounded, segmentBytes, stream, small);
    }
    if (address == OUT_OF_MEMORY) {
      address = stitch(allocation, rounded, stream, 2);
    }
    if (address == OUT_OF_MEMORY) {
      state[allocation] = UNUSED;
      refused.report(allocation, requested[allocation], rounded, segmentBytes, stream);
    }
    return address;
  }

  /** Hands out the low part of a free block that is in no set. */
  private long handOut(int allocation, int block, long rounded) {
    boolean small = blocks.isSmall(block);
    long rest = blocks.bytes(block) - rounded;
    if (rest >= (small ? MIN_BLOCK_BYTES : CHUNK_BYTES)) {
      blocks.list(blocks.split(block, rounded));
    }
    firstPiece[allocation] = block;
    use(block, allocation, requested[allocation]);
    report(allocation, blocks.address(block), blocks.bytes(block), blocks.stream(block), small);
    return blocks.address(block);
  }

  private void use(int block, int allocation, long shareBytes) {
    blocks.occupy(block, allocation, shareBytes);
    ChunkedSegment segment = blocks.segment(block);
    if (segment != null && segment.partCount() > 0) {
      int from = blocks.firstChunk(block);
      stitched.chunksTaken(segment, from, from + blocks.chunks(block));
    }
  }

  private void report(int allocation, long address, long bytes, int stream, boolean small) {
    state[allocation] = ALLOCATED;
    blockBytes[allocation] = bytes;
    blocks.settle(small);
    listener.blockAllocated(allocation, address, requested[allocation], bytes, stream, small);
  }

  /** Serves a request by the first chunks of a free stitched block. */
  private long reuseStitched(int allocation, long rounded, int stream) {
    StitchedBlock block = stitched.smallestFree(stream, rounded);
    if (block == null || block.bytes() > rounded * settings.reuseLimit()) {
      return OUT_OF_MEMORY;
    }
    stitched.activate(block);
    stitchedBy[allocation] = block;
    int missing = (int) (rounded / CHUNK_BYTES);
    int last = PrimitiveBlocks.NONE;
    long share = requested[allocation];
    for (int i = 0; missing > 0; i++) {
      StitchedPart part = block.parts[i];
      int chunks = Math.min(part.chunks, missing);
      int piece = cutOut(part.segment, part.fromChunk, chunks);
      last = addPiece(allocation, last, piece, share);
      share -= Math.min(share, blocks.bytes(piece));
      missing -= chunks;
    }
    report(allocation, block.address, rounded, stream, false);
    return block.address;
  }

  private int addPiece(int allocation, int last, int piece, long shareBytes) {
    use(piece, allocation, Math.min(shareBytes, blocks.bytes(piece)));
    if (last == PrimitiveBlocks.NONE) {
      firstPiece[allocation] = piece;
    } else {
      blocks.linkPiece(last, piece);
    }
    return piece;
  }

  /** Cuts exactly these chunks out of the free block that they lie in. */
  private int cutOut(ChunkedSegment segment, int from, int chunks) {
    int block = segment.blockOf(from);
    blocks.unlist(block);
    int before = from - blocks.firstChunk(block);
    if (before > 0) {
      int rest = blocks.split(block, before * CHUNK_BYTES);
      blocks.list(block);
      block = rest;
    }
    if (blocks.chunks(block) > chunks) {
      blocks.list(blocks.split(block, chunks * CHUNK_BYTES));
    }
    return block;
  }

  /** Serves a request by mapping free blocks one after the other, the largest first. */
  private long stitch(int allocation, long rounded, int stream, int level) {
    SizeOrderedRows free = blocks.free(false, stream);
    if (!settings.stitches()
        || level < settings.defragLevel()
        || rounded <= SMALL_REQUEST_BYTES
        || rounded < settings.fragLimitBytes()
        || free.size() < 2) {
      return OUT_OF_MEMORY;
    }
    int[] chosen = new int[4];
    int count = 0;
    long found = 0;
    for (int next = free.last(); next != PrimitiveBlocks.NONE && found < rounded; ) {
      if (count == chosen.length) {
        chosen = Arrays.copyOf(chosen, count * 2);
      }
      chosen[count++] = next;
      found += blocks.bytes(next);
      next = free.previous(next);
    }
    if (found < rounded) {
      return OUT_OF_MEMORY;
    }
    long address = reserve(rounded, stream);
    if (address == DeviceMemory.REFUSED) {
      return OUT_OF_MEMORY;
    }
    StitchedBlock block = stitched.create(address, (int) (rounded / CHUNK_BYTES), stream, count);
    stitchedBy[allocation] = block;
    int last = PrimitiveBlocks.NONE;
    long missing = rounded;
    long share = requested[allocation];
    for (int i = 0; i < count; i++) {
      int piece = chosen[i];
      blocks.unlist(piece);
      if (blocks.bytes(piece) > missing) {
        blocks.list(blocks.split(piece, missing));
      }
      last = addPiece(allocation, last, piece, share);
      stitched.addPart(
          block, i, blocks.segment(piece), blocks.firstChunk(piece), blocks.chunks(piece));
      share -= Math.min(share, blocks.bytes(piece));
      missing -= blocks.bytes(piece);
    }
    if (stitched.stitchedBytes > settings.autoGcBytes()) {
      stitched.collect(COLLECT_ALL, 0);
    }
    report(allocation, address, rounded, stream, false);
    return address;
  }

  private long reserve(long bytes, int stream) {
    long address = device.reserve(bytes, CHUNK_BYTES, stream);
    for (int effort = 0; address == DeviceMemory.REFUSED && effort <= COLLECT_ALL; effort++) {
      stitched.collect(effort, bytes);
      address = device.reserve(bytes, CHUNK_BYTES, stream);
    }
    return address;
  }

  /** Serves a request by a new segment; {@link #OUT_OF_MEMORY} where limit or device refuse. */
  private long grow(int allocation, long rounded, long segmentBytes, int stream, boolean small) {
    if (limitBytes >= 0 && reservedBytes + segmentBytes > limitBytes) {
      return OUT_OF_MEMORY;
    }
    boolean plain = small || !settings.stitches();
    long bytes = segmentBytes;
    if (!plain && settings.reallocates()) {
      long cached = freeBytes(stream);
      if (cached >= rounded) {
        return OUT_OF_MEMORY;
      }
      bytes = cached == 0 ? segmentBytes : segmentBytes(rounded - cached);
    }
    ChunkedSegment chunks = plain ? null : newChunks(bytes, stream);
    if (!plain && chunks == null) {
      return OUT_OF_MEMORY;
    }
    long address = chunks == null ? device.allocate(bytes) : chunks.address;
    if (address == DeviceMemory.REFUSED) {
      return OUT_OF_MEMORY;
    }
    reservedBytes += bytes;
    int block = blocks.addSegment(address, bytes, stream, small, chunks);
    if (bytes >= rounded) {
      return handOut(allocation, block, rounded);
    }
    blocks.list(block);
    return stitch(allocation, rounded, stream, LEVEL_AFTER_REALLOCATION);
  }

  private long freeBytes(int stream) {
    SizeOrderedRows free = blocks.free(false, stream);
    long sum = 0;
    for (int block = free.first(); block != PrimitiveBlocks.NONE; block = free.next(block)) {
      sum += blocks.bytes(block);
    }
    return sum;
  }

  private @Nullable ChunkedSegment newChunks(long bytes, int stream) {
    if (bytes / CHUNK_BYTES > MAX_CHUNKS) {
      return null;
    }
    long[] handles = new long[(int) (bytes / CHUNK_BYTES)];
    for (int effort = 0; effort <= COLLECT_ALL; effort++) {
      if (memory.create(handles, 0, handles.length, CHUNK_BYTES)) {
        long address = device.reserve(bytes, CHUNK_BYTES, stream);
        if (address != DeviceMemory.REFUSED) {
          memory.map(address, handles, 0, handles.length, CHUNK_BYTES);
          return new ChunkedSegment(address, handles);
        }
        memory.release(handles, 0, handles.length, CHUNK_BYTES);
      }
      if (device.freeBytes() <= bytes || stitched.cachedBytes(stream) < bytes) {
        return null;
      }
      stitched.collect(effort, bytes);
    }
    return null;
  }

  @Override
  public void free(int allocation) {
    byte was = allocation >= 0 && allocation < state.length ? state[allocation] : UNUSED;
    if (was == UNUSED) {
      return;
    }
    if (was == PENDING) {
      // The first half of this free lies before the start of the recording.
      uses.forget(allocation);
      completeFree(allocation);
      return;
    }
    int block = firstPiece[allocation];
    listener.freeRequested(
        allocation,
        addressOf(allocation),
        requested[allocation],
        blockBytes[allocation],
        blocks.stream(block),
        blocks.isSmall(block));
    if (uses.has(allocation)) {
      uses.free(allocation);
      state[allocation] = PENDING;
    } else {
      completeFree(allocation);
    }
  }

  private long addressOf(int allocation) {
    StitchedBlock block = stitchedBy[allocation];
    return block == null ? blocks.address(firstPiece[allocation]) : block.address;
  }

  private void completeFree(int allocation) {
    int piece = firstPiece[allocation];
    StitchedBlock block = stitchedBy[allocation];
    boolean small = blocks.isSmall(piece);
    listener.freeCompleted(
        allocation,
        addressOf(allocation),
        requested[allocation],
        blockBytes[allocation],
        blocks.stream(piece),
        small);
    state[allocation] = UNUSED;
    stitchedBy[allocation] = null;
    while (piece != PrimitiveBlocks.NONE) {
      int following = blocks.nextPiece(piece);
      ChunkedSegment segment = blocks.segment(piece);
      if (segment != null && segment.partCount() > 0) {
        int from = blocks.firstChunk(piece);
        stitched.chunksFreed(segment, from, from + blocks.chunks(piece));
      }
      blocks.vacate(piece);
      piece = following;
    }
    if (block != null) {
      stitched.deactivate(block);
    }
    blocks.settle(small);
  }

  private void completeFinishedFrees() {
    for (int done = uses.pollFinished(); done != StreamUses.NONE; done = uses.pollFinished()) {
      completeFree(done);
    }
  }

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    if (allocation < state.length
        && state[allocation] != UNUSED
        && stream != blocks.stream(firstPiece[allocation])) {
      uses.add(allocation, 0, state[allocation] == PENDING, stream, completionRank);
    }
  }

  @Override
  public void useComplete(int allocation, int stream) {
    uses.complete(allocation, stream);
  }

  @Override
  public void synchronize() {
    uses.completeAll();
  }

  @Override
  public void emptyCache() {
    releaseCached();
    stitched.collect(COLLECT_ALL, 0);
  }

  private void releaseCached() {
    listener.streamsSynchronized();
    uses.synchronize(StreamUses.ALL_GROUPS, this::completeFree);
    for (int block : blocks.allFree(false)) {
      releaseIfWhole(block);
    }
    for (int block : blocks.allFree(true)) {
      releaseIfWhole(block);
    }
  }

  private void releaseIfWhole(int block) {
    if (!blocks.coversSegment(block)) {
      return;
    }
    ChunkedSegment chunks = blocks.segment(block);
    long address = blocks.address(block);
    long bytes = blocks.bytes(block);
    blocks.removeSegment(block);
    reservedBytes -= bytes;
    if (chunks == null) {
      device.free(address, bytes);
      return;
    }
    stitched.segmentGoes(chunks);
    memory.unmap(address, chunks.handles, 0, chunks.chunks(), CHUNK_BYTES);
    memory.release(chunks.handles, 0, chunks.chunks(), CHUNK_BYTES);
    device.unreserve(address, bytes);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    blocks.describe(visitor, allocation -> state[allocation] == PENDING);
  }

  private static long round(long bytes) {
    long rounded = Math.max(MIN_BLOCK_BYTES, (bytes + MIN_BLOCK_BYTES - 1) & -MIN_BLOCK_BYTES);
    return rounded <= SMALL_REQUEST_BYTES ? rounded : (rounded + CHUNK_BYTES - 1) & -CHUNK_BYTES;
  }

  private static long segmentBytes(long rounded) {
    if (rounded <= SMALL_REQUEST_BYTES) {
      return SMALL_SEGMENT_BYTES;
    }
    return rounded < MIN_OWN_SEGMENT_BYTES ? SHARED_SEGMENT_BYTES : rounded;
  }

  private void remember(int allocation, long requestedBytes, long rounded) {
    if (allocation >= state.length) {
      int length = Math.max(allocation + 1, state.length + (state.length >> 1));
      state = Arrays.copyOf(state, length);
      firstPiece = Arrays.copyOf(firstPiece, length);
      requested = Arrays.copyOf(requested, length);
      blockBytes = Arrays.copyOf(blockBytes, length);
      stitchedBy = Arrays.copyOf(stitchedBy, length);
    }
    requested[allocation] = requestedBytes;
    blockBytes[allocation] = rounded;
  }
}
