package org.allocsim.workloads.format.pytorch;

import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.pytorch.RequestSizes;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.ListContent.Problem;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.jspecify.annotations.Nullable;

/** Makes segments and blocks from their dicts, in all forms that PyTorch 2.0 to 2.14 writes. */
final class SegmentReader {
  private static final int SEGMENT_BYTES = 300;
  private static final int ANNOTATION_BYTES = 80;

  private static final String REMEDY = "the file is damaged, " + PickleInput.WRITE_ANEW;
  private static final BlockColumns NO_BLOCKS = new BlockColumns();

  private final Fields fields;
  private final TextPool texts;
  private final StreamNumbers streams;
  private final PoolNumbers pools;
  private final HeldBytes held;
  private long totalBytes;

  SegmentReader(
      Fields fields, TextPool texts, StreamNumbers streams, PoolNumbers pools, HeldBytes held) {
    this.held = held;
    this.fields = fields;
    this.texts = texts;
    this.streams = streams;
    this.pools = pools;
  }

  /** Appends the block in an open dict. */
  void addBlock(BlockColumns blocks, int dict, ListContent.@Nullable BlockHistory history) {
    if (blocks.problem != null) {
      return;
    }
    Fields f = fields.of(dict);
    BlockState state = Vocabulary.state(f.text(Vocabulary.STATE));
    if (state == null) {
      f.fail(Vocabulary.STATE, "the state of a block");
    }
    boolean hasAddress = f.has(Vocabulary.ADDRESS);
    long address = hasAddress ? f.address(Vocabulary.ADDRESS) : 0;
    long bytes = f.bytes(Vocabulary.SIZE);
    long requested = f.bytes(Vocabulary.REQUESTED_SIZE, BlockColumns.UNKNOWN);
    int stack = f.stack(Vocabulary.FRAMES);
    if (history != null) {
      blocks.hasHistories = true;
      // A free block may have moved since its last request; its place follows from its neighbours.
      if (!hasAddress && history.hasAddress && state != BlockState.INACTIVE) {
        hasAddress = true;
        address = history.address;
      }
      if (requested == BlockColumns.UNKNOWN) {
        requested = history.requestedBytes;
      }
      if (!f.has(Vocabulary.FRAMES)) {
        stack = history.stack;
      }
    }
    checkSize(f, Vocabulary.SIZE, bytes);
    if (requested != BlockColumns.UNKNOWN) {
      checkSize(f, Vocabulary.REQUESTED_SIZE, requested);
    }
    if (f.bad() != null) {
      blocks.problem = new Problem("block " + blocks.count, f.bad(), REMEDY);
      return;
    }
    if (requested == BlockColumns.UNKNOWN) {
      blocks.sizesUnknown++;
      requested = state == BlockState.INACTIVE ? 0 : bytes;
    }
    held.add(blocks.count == 0 ? BlockColumns.FIRST_BYTES : BlockColumns.ROW_BYTES);
    blocks.add(address, hasAddress, bytes, requested, state, stack);
  }

  /** Takes the newest request of a block's history. */
  void addBlockHistory(ListContent.BlockHistory history, int dict, boolean newest) {
    if (newest) {
      Fields f = fields.of(dict);
      history.requestedBytes = f.bytes(Vocabulary.REAL_SIZE, BlockColumns.UNKNOWN);
      history.stack = f.stack(Vocabulary.FRAMES);
      history.hasAddress = f.has(Vocabulary.ADDR);
      history.address = history.hasAddress ? f.address(Vocabulary.ADDR) : 0;
      if (f.bad() != null) {
        history.requestedBytes = BlockColumns.UNKNOWN;
        history.hasAddress = false;
      }
    }
  }

  /** Appends the segment in an open dict. */
  void addSegment(ListContent.Segments segments, int dict, @Nullable BlockColumns blocksOrNull) {
    if (segments.problem != null) {
      return;
    }
    int index = segments.segments.size();
    BlockColumns blocks = blocksOrNull == null ? NO_BLOCKS : blocksOrNull;
    if (blocks.problem != null) {
      Problem block = blocks.problem;
      segments.problem =
          new Problem("segment " + index + ", " + block.place(), block.cause(), block.remedy());
      return;
    }
    Fields f = fields.of(dict);
    long device = f.number(Vocabulary.DEVICE, 0);
    if (device < 0 || device >= Snapshot.MAX_DEVICES) {
      f.fail(Vocabulary.DEVICE, "a device index from 0 to " + (Snapshot.MAX_DEVICES - 1));
    }
    long address = f.address(Vocabulary.ADDRESS);
    long total = f.bytes(Vocabulary.TOTAL_SIZE);
    checkSize(f, Vocabulary.TOTAL_SIZE, total);
    Sums sums = placeBlocks(blocks, address);
    long allocated = f.bytes(Vocabulary.ALLOCATED_SIZE, sums.allocated);
    long active = f.bytes(Vocabulary.ACTIVE_SIZE, sums.active);
    long requested = f.bytes(Vocabulary.REQUESTED_SIZE, sums.requested);
    checkSize(f, Vocabulary.ALLOCATED_SIZE, allocated);
    checkSize(f, Vocabulary.ACTIVE_SIZE, active);
    checkSize(f, Vocabulary.REQUESTED_SIZE, requested);
    int stream = streams.number(f.number(Vocabulary.STREAM, 0));
    if (stream < 0) {
      f.fail(Vocabulary.STREAM, "one of at most " + StreamNumbers.MOST + " streams");
    }
    int type = f.text(Vocabulary.SEGMENT_TYPE);
    if (f.has(Vocabulary.SEGMENT_TYPE) && type != Vocabulary.SMALL && type != Vocabulary.LARGE) {
      f.fail(Vocabulary.SEGMENT_TYPE, "\"small\" or \"large\"");
    }
    boolean small = type < 0 ? total == RequestSizes.SMALL_SEGMENT_BYTES : type == Vocabulary.SMALL;
    PoolId pool = PoolId.DEFAULT;
    if (f.type(Vocabulary.SEGMENT_POOL_ID) == Value.POOL) {
      pool = pools.pool((int) f.raw(Vocabulary.SEGMENT_POOL_ID));
    } else if (f.has(Vocabulary.SEGMENT_POOL_ID)
        && f.type(Vocabulary.SEGMENT_POOL_ID) != Value.NONE) {
      f.fail(Vocabulary.SEGMENT_POOL_ID, "a pair of whole numbers");
    }
    boolean expandable = f.flag(Vocabulary.IS_EXPANDABLE, false);
    if (f.bad() != null) {
      segments.problem = new Problem("segment " + index, f.bad(), REMEDY);
      return;
    }
    totalBytes += total;
    if (totalBytes > Snapshot.MAX_SUM_BYTES) {
      segments.problem =
          new Problem("segment " + index, "segments add up to an implausible total", REMEDY);
      return;
    }
    if (sums.total != total || sums.allocated != allocated || sums.active != active) {
      segments.odd++;
    }
    segments.sizesUnknown += blocks.sizesUnknown;
    segments.hasBlockHistories |= blocks.hasHistories;
    held.add(SEGMENT_BYTES);
    segments.segments.add(
        new SnapshotSegment(
            (int) device,
            address,
            total,
            allocated,
            active,
            requested,
            stream,
            small,
            pool,
            expandable,
            f.stack(Vocabulary.FRAMES),
            blocks));
  }

  /** Sizes that no memory has would let sums of them wrap. */
  private static void checkSize(Fields f, int field, long bytes) {
    if (bytes < 0 || bytes > Snapshot.MAX_BYTES) {
      f.fail(field, "a size of at most " + Snapshot.MAX_BYTES + " bytes");
    }
  }

  private record Sums(long total, long allocated, long active, long requested) {}

  /** Adds blocks up, and gives those without an address the one after their neighbour. */
  private static Sums placeBlocks(BlockColumns blocks, long segmentAddress) {
    long total = 0;
    long allocated = 0;
    long active = 0;
    long requested = 0;
    for (int i = 0; i < blocks.count; i++) {
      if (!blocks.hasAddress[i]) {
        blocks.addresses[i] = segmentAddress + total;
      }
      total += blocks.bytes[i];
      if (blocks.states[i] != BlockState.INACTIVE) {
        active += blocks.bytes[i];
        requested += blocks.requestedBytes[i];
      }
      if (blocks.states[i] == BlockState.ACTIVE_ALLOCATED) {
        allocated += blocks.bytes[i];
      }
    }
    return new Sums(total, allocated, active, requested);
  }

  /** Appends the annotation in an open dict. */
  void addAnnotation(ListContent.Annotations annotations, int dict) {
    if (annotations.problem != null) {
      return;
    }
    Fields f = fields.of(dict);
    int stage = f.text(Vocabulary.STAGE);
    if (stage != Vocabulary.START && stage != Vocabulary.END) {
      f.fail(Vocabulary.STAGE, "\"START\" or \"END\"");
    }
    int name = f.text(Vocabulary.NAME);
    if (name < 0) {
      f.fail(Vocabulary.NAME, "a text");
    }
    long micros = f.micros(Vocabulary.TIME_US, 0);
    long device = f.number(Vocabulary.DEVICE, -1);
    if (device < -1 || device >= Snapshot.MAX_DEVICES) {
      f.fail(Vocabulary.DEVICE, "a device index from 0 to " + (Snapshot.MAX_DEVICES - 1));
    }
    if (f.bad() != null) {
      annotations.problem =
          new Problem("annotation " + annotations.annotations.size(), f.bad(), REMEDY);
      return;
    }
    held.add(ANNOTATION_BYTES);
    annotations.annotations.add(
        new Annotation(
            stage == Vocabulary.START ? Annotation.Stage.START : Annotation.Stage.END,
            texts.text(name),
            (int) device,
            micros * 1000));
  }
}
