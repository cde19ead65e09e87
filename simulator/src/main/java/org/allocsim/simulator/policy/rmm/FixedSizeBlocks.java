package org.allocsim.simulator.policy.rmm;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * RMM's {@code fixed_size_memory_resource}: blocks of one size, taken from the device in chunks of
 * many. Every stream has a queue of free blocks; a request takes the block that was freed first on
 * its own stream, else on the first other stream that has one, else a new chunk is queued. Blocks
 * keep their size, chunks stay.
 *
 * <p>Source: rapidsai/rmm 5d50a37 (2026-07), {@code fixed_size_memory_resource_impl.cpp}, {@code
 * fixed_size_free_list.hpp}.
 */
final class FixedSizeBlocks {
  private static final int END = BlockHeap.NONE;

  private final long blockBytes;
  private final int chunkBlocks;
  private final Upstream upstream;
  private final BlockHeap heap;
  private final StreamEvents events;
  private int[] firstOfQueue = new int[0];
  private int[] lastOfQueue = new int[0];
  private int[] after = new int[256];
  private boolean constructed;

  /**
   * No blocks yet.
   *
   * @param blockBytes size of a block, a multiple of 256
   * @param chunkBlocks blocks of a chunk
   * @param heap keeps the blocks
   */
  FixedSizeBlocks(
      long blockBytes, int chunkBlocks, Upstream upstream, BlockHeap heap, FutureRequests future) {
    this.blockBytes = blockBytes;
    this.chunkBlocks = chunkBlocks;
    this.upstream = upstream;
    this.heap = heap;
    events = new StreamEvents(future);
  }

  /** Size of a block. */
  long blockBytes() {
    return blockBytes;
  }

  /** Queues the first chunk for the legacy default stream, once; answers whether it is there. */
  boolean construct(int stream) {
    if (!constructed) {
      constructed = addChunk(queue(events.ofLegacyStream()), stream);
    }
    return constructed;
  }

  /** A stream asks for something: its place among the streams is that of its first request. */
  void meet(int stream) {
    queue(events.ofLegacyStream());
    queue(events.of(stream));
  }

  /** A free block for a stream, or {@link BlockHeap#NONE} where the device refuses a chunk. */
  int next(int stream) {
    int own = queue(events.of(stream));
    if (firstOfQueue[own] != END) {
      return poll(own);
    }
    for (int other = 0; other < events.count(); other++) {
      if (firstOfQueue[other] != END) {
        return poll(other);
      }
    }
    return addChunk(own, stream) ? poll(own) : BlockHeap.NONE;
  }

  /** Queues a block that was freed on a stream. */
  void takeBack(int block, int stream) {
    add(queue(events.of(stream)), block);
  }

  private boolean addChunk(int queue, int stream) {
    long address = upstream.allocate(blockBytes * chunkBlocks);
    if (address == DeviceMemory.REFUSED) {
      return false;
    }
    int block = heap.addSegment(address, blockBytes * chunkBlocks, stream);
    for (int i = 1; i < chunkBlocks; i++) {
      int rest = heap.split(block, blockBytes);
      add(queue, block);
      block = rest;
    }
    add(queue, block);
    return true;
  }

  private void add(int queue, int block) {
    if (block >= after.length) {
      after = Arrays.copyOf(after, Math.max(block + 1, after.length * 2));
    }
    after[block] = END;
    if (firstOfQueue[queue] == END) {
      firstOfQueue[queue] = block;
    } else {
      after[lastOfQueue[queue]] = block;
    }
    lastOfQueue[queue] = block;
  }

  private int poll(int queue) {
    int block = firstOfQueue[queue];
    firstOfQueue[queue] = after[block];
    return block;
  }

  /** Makes room for the queue of an event; answers the event, by whose number it is found. */
  private int queue(int event) {
    if (event >= firstOfQueue.length) {
      int old = firstOfQueue.length;
      firstOfQueue = Arrays.copyOf(firstOfQueue, Math.max(event + 1, old * 2));
      lastOfQueue = Arrays.copyOf(lastOfQueue, firstOfQueue.length);
      Arrays.fill(firstOfQueue, old, firstOfQueue.length, END);
    }
    return event;
  }
}
