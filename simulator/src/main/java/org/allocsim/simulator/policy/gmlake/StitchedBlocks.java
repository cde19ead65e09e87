package org.allocsim.simulator.policy.gmlake;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.order.OrderedBlocks;
import org.jspecify.annotations.Nullable;

/**
 * All stitched blocks, in sets as GMLake keeps them: per stream the free ones by (bytes, address)
 * and by age, and the fragmented ones by age, where age is the order of their last frees.
 */
final class StitchedBlocks {
  private final DeviceMemory device;
  private final HandleMemory memory;
  private StitchedBlock[] blocks = new StitchedBlock[16];
  private int count;
  private int[] unused = new int[16];
  private int unusedCount;
  private Sets[] sets = new Sets[4];
  private int streams;
  private long frees;

  /** Bytes ever stitched less those collected, by which GMLake judges its address use. */
  long stitchedBytes;

  private static final class Sets {
    final OrderedBlocks freeBySize = new OrderedBlocks();
    final OrderedBlocks freeByAge = new OrderedBlocks();
    final OrderedBlocks fragmentedByAge = new OrderedBlocks();
    long bytes;
  }

  StitchedBlocks(DeviceMemory device, HandleMemory memory) {
    this.device = device;
    this.memory = memory;
  }

  /** A new active block, all of whose chunks are in use; its parts are to be {@link #addPart}ed. */
  StitchedBlock create(long address, int chunks, int stream, int parts) {
    int id = unusedCount > 0 ? unused[--unusedCount] : count++;
    if (id == blocks.length) {
      blocks = Arrays.copyOf(blocks, id * 2);
    }
    blocks[id] = new StitchedBlock(id, address, chunks, stream, parts);
    stitchedBytes += blocks[id].bytes();
    return blocks[id];
  }

  /** Maps a run of chunks as the part of this number of a new block. */
  void addPart(StitchedBlock block, int index, ChunkedSegment segment, int from, int chunks) {
    long mappedAt = block.address;
    if (index > 0) {
      StitchedPart before = block.parts[index - 1];
      mappedAt = before.mappedAt + before.chunks * ChunkedSegment.CHUNK_BYTES;
    }
    StitchedPart part = new StitchedPart(block, segment, from, chunks, mappedAt);
    memory.map(mappedAt, segment.handles, from, chunks, ChunkedSegment.CHUNK_BYTES);
    block.parts[index] = part;
    segment.addPart(part);
  }

  /** The smallest free block of a stream that holds this many bytes, or null. */
  @Nullable StitchedBlock smallestFree(int stream, long bytes) {
    if (stream >= streams || sets[stream] == null) {
      return null;
    }
    OrderedBlocks free = sets[stream].freeBySize;
    int at = free.ceiling(bytes, 0);
    return at == OrderedBlocks.NONE ? null : blocks[free.block(at)];
  }

  /** Bytes of all blocks of a stream that are not handed out. */
  long cachedBytes(int stream) {
    return stream >= streams || sets[stream] == null ? 0 : sets[stream].bytes;
  }

  /** Hands a free block out. */
  void activate(StitchedBlock block) {
    leaveSets(block);
    block.state = StitchedBlock.State.ACTIVE;
  }

  /** Takes an active block back, whose chunks were marked free before. */
  void deactivate(StitchedBlock block) {
    block.lastFree = ++frees;
    if (block.doomed) {
      destroy(block);
    } else {
      enterSets(block);
    }
  }

  /** Chunks of a segment came into use. */
  void chunksTaken(ChunkedSegment segment, int from, int to) {
    for (int i = 0; i < segment.partCount(); i++) {
      StitchedPart part = segment.part(i);
      int overlap = part.overlap(from, to);
      if (overlap > 0) {
        StitchedBlock block = part.owner;
        block.freeChunks -= overlap;
        if (block.state == StitchedBlock.State.FREE) {
          leaveSets(block);
          enterSets(block);
        }
      }
    }
  }

  /** Chunks of a segment are not used any more. */
  void chunksFreed(ChunkedSegment segment, int from, int to) {
    for (int i = 0; i < segment.partCount(); i++) {
      StitchedPart part = segment.part(i);
      int overlap = part.overlap(from, to);
      if (overlap > 0) {
        StitchedBlock block = part.owner;
        block.freeChunks += overlap;
        if (block.freeChunks == block.chunks && block.state == StitchedBlock.State.FRAGMENTED) {
          leaveSets(block);
          enterSets(block);
        }
      }
    }
  }

  /**
   * Destroys blocks that are not handed out: fragmented ones, oldest first, until {@code
   * neededBytes} four- or sixteenfold are gone, or all; from effort 1 on all free ones too.
   *
   * @param effort 0 to 2, each more thorough
   * @param neededBytes what is missing, 0 for no bound
   */
  void collect(int effort, long neededBytes) {
    long collected = 0;
    for (int stream = 0; stream < streams; stream++) {
      OrderedBlocks fragmented = sets[stream] == null ? null : sets[stream].fragmentedByAge;
      while (fragmented != null && fragmented.size() > 0) {
        collected += destroy(blocks[fragmented.block(fragmented.first())]);
        if (neededBytes > 0 && effort <= 1 && collected >> (2 * (effort + 1)) >= neededBytes) {
          break;
        }
      }
    }
    for (int stream = 0; effort > 0 && stream < streams; stream++) {
      OrderedBlocks free = sets[stream] == null ? null : sets[stream].freeByAge;
      while (free != null && free.size() > 0) {
        collected += destroy(blocks[free.block(free.first())]);
      }
    }
    stitchedBytes -= collected;
  }

  /**
   * A segment goes back to the device: blocks that map it go too, at once or, where they are handed
   * out, when they are freed.
   */
  void segmentGoes(ChunkedSegment segment) {
    while (segment.partCount() > 0) {
      StitchedPart part = segment.part(segment.partCount() - 1);
      if (part.owner.state == StitchedBlock.State.ACTIVE) {
        part.owner.doomed = true;
        unmap(part);
      } else {
        destroy(part.owner);
      }
    }
  }

  private long destroy(StitchedBlock block) {
    if (block.state != StitchedBlock.State.ACTIVE) {
      leaveSets(block);
    }
    for (StitchedPart part : block.parts) {
      if (part.mapped) {
        unmap(part);
      }
    }
    device.unreserve(block.address, block.bytes());
    blocks[block.id] = null;
    if (unusedCount == unused.length) {
      unused = Arrays.copyOf(unused, unusedCount * 2);
    }
    unused[unusedCount++] = block.id;
    return block.bytes();
  }

  private void unmap(StitchedPart part) {
    memory.unmap(
        part.mappedAt,
        part.segment.handles,
        part.fromChunk,
        part.chunks,
        ChunkedSegment.CHUNK_BYTES);
    part.mapped = false;
    part.segment.removePart(part);
  }

  private void enterSets(StitchedBlock block) {
    Sets own = setsOf(block.stream);
    own.bytes += block.bytes();
    if (block.freeChunks == block.chunks) {
      block.state = StitchedBlock.State.FREE;
      own.freeBySize.add(block.bytes(), block.address, block.id);
      own.freeByAge.add(block.lastFree, block.address, block.id);
    } else {
      block.state = StitchedBlock.State.FRAGMENTED;
      own.fragmentedByAge.add(block.lastFree, block.address, block.id);
    }
  }

  private void leaveSets(StitchedBlock block) {
    Sets own = sets[block.stream];
    own.bytes -= block.bytes();
    if (block.state == StitchedBlock.State.FREE) {
      own.freeBySize.remove(block.bytes(), block.address);
      own.freeByAge.remove(block.lastFree, block.address);
    } else {
      own.fragmentedByAge.remove(block.lastFree, block.address);
    }
  }

  private Sets setsOf(int stream) {
    if (stream >= sets.length) {
      sets = Arrays.copyOf(sets, Math.max(stream + 1, sets.length * 2));
    }
    streams = Math.max(streams, stream + 1);
    if (sets[stream] == null) {
      sets[stream] = new Sets();
    }
    return sets[stream];
  }
}
