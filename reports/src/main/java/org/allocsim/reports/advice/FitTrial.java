package org.allocsim.reports.advice;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;

/**
 * Would a failed request have fitted without a few blocks? Looks for the cheapest blocks whose
 * absence leaves a hole that is large enough in one segment, and for those whose absence lets
 * enough whole segments be released; then frees them in the simulated allocator at the moment of
 * the failure and asks again.
 *
 * <p>The hole, and the release of one segment, are the ones with the fewest bytes in use; several
 * segments are chosen greedily, by bytes in use per byte released.
 */
public final class FitTrial {
  /** How a request comes to fit. */
  public enum Way {
    /** A free hole in a segment of its pool and stream. */
    HOLE,
    /** Segments that are released, so that a new one can be obtained. */
    RELEASE
  }

  /**
   * Blocks without which the request may fit.
   *
   * @param way how it comes to fit
   * @param blocks the blocks that must not be there
   * @param segments numbers of their segments in the layout
   * @param bytes what the blocks take
   * @param gainedBytes size of the hole, or of the segments that are released
   * @param confirmed whether the simulated allocator served the request without the blocks
   */
  public record Remedy(
      Way way,
      List<Pins.Block> blocks,
      List<Integer> segments,
      long bytes,
      long gainedBytes,
      boolean confirmed) {
    /** Keeps its own copies. */
    public Remedy {
      blocks = List.copyOf(blocks);
      segments = List.copyOf(segments);
    }

    private Remedy withVerdict(boolean served) {
      return new Remedy(way, blocks, segments, bytes, gainedBytes, served);
    }
  }

  /** Rounded requests up to this size are served by the small pool (PyTorch 2.11). */
  private static final long SMALL_REQUEST_BYTES = 1L << 20;

  private final Landmarks landmarks;
  private final FailedRequest failure;
  private final MemoryLayout layout;
  private final AllocatorConfig config;
  private final long missingBytes;

  /** Trials at the moment of a failed request. */
  public FitTrial(Landmarks landmarks, MemoryMoment moment) {
    this.landmarks = landmarks;
    failure = moment.failure();
    layout = moment.layout();
    config = landmarks.input().config();
    missingBytes = missingBytes(moment.bytes().reservedBytes());
  }

  /** What has to be released before the segment for the request can be obtained. */
  private long missingBytes(long reservedBytes) {
    long wanted = failure.segmentBytes();
    if (config.expandableSegments()) {
      long page = config.largeSegmentBytes();
      wanted = Math.max(wanted, (failure.roundedBytes() + page - 1) / page * page);
    }
    long grantable = failure.deviceFreeBytes();
    if (failure.limitBytes() >= 0) {
      grantable = Math.min(grantable, failure.limitBytes() - reservedBytes);
    }
    return wanted - grantable;
  }

  /** Bytes that had to be released for the request; not above 0 where memory was not short. */
  public long missingBytes() {
    return missingBytes;
  }

  /** Whether the limit is the largest that explains the failures, so that more may be missing. */
  public boolean isLimitConcluded() {
    return landmarks.input().isLimitConcluded();
  }

  /** Whether the request would fit if nothing in a segment were in use. */
  public boolean fitsWithoutAllOf(Pins.Segment segment) {
    boolean released = segment.pool() == 0 && missingBytes > 0 && segment.bytes() >= missingBytes;
    return released
        || (serves(segment.index())
            && segment.bytes() >= failure.roundedBytes()
            && mayUse(segment.bytes()));
  }

  /** The cheapest sets of blocks, the fewest bytes first; none where no set was found. */
  public List<Remedy> remedies() {
    List<Remedy> remedies = new ArrayList<>();
    bestHole().ifPresent(remedies::add);
    bestRelease().ifPresent(remedies::add);
    return remedies.stream()
        .map(remedy -> remedy.withVerdict(isServedWithout(remedy.blocks())))
        .sorted(Comparator.comparing(Remedy::confirmed).reversed().thenComparingLong(Remedy::bytes))
        .toList();
  }

  /** Replays up to the failure, gives the blocks back and asks again. */
  boolean isServedWithout(List<Pins.Block> blocks) {
    StoppableReplay replay = new StoppableReplay(landmarks.input());
    replay.runTo(failure.row(), _ -> {});
    if (landmarks.hasRecordedAddresses()) {
      replay.device().beginTrial(failure.deviceFreeBytes());
    }
    for (Pins.Block block : blocks) {
      replay.policy().free(block.allocation());
    }
    long address =
        replay
            .policy()
            .allocate(
                failure.allocation(), failure.requestedBytes(), failure.stream(), failure.pool());
    return address != AllocatorPolicy.OUT_OF_MEMORY;
  }

  // A hole.

  /** Whether blocks of a segment can serve the request. */
  private boolean serves(int segment) {
    return layout.segmentPool(segment) == failure.pool()
        && layout.stream(segment) == failure.stream()
        && layout.isSmall(segment) == (failure.roundedBytes() <= SMALL_REQUEST_BYTES);
  }

  /** Whether best fit may take a block of this size, by the rules of {@code max_split_size_mb}. */
  private boolean mayUse(long holeBytes) {
    if (isOversize(failure.roundedBytes())) {
      return Long.compareUnsigned(
              holeBytes, failure.roundedBytes() + config.maxNonSplitRoundingBytes())
          < 0;
    }
    return !isOversize(holeBytes);
  }

  private boolean isOversize(long bytes) {
    return Long.compareUnsigned(bytes, config.maxSplitBytes()) >= 0;
  }

  private Optional<Remedy> bestHole() {
    Remedy best = null;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      if (serves(segment) && layout.segmentBytes(segment) >= failure.roundedBytes()) {
        Remedy hole = bestHole(segment);
        if (hole != null && (best == null || hole.bytes() < best.bytes())) {
          best = hole;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** The run of blocks that is long enough and has the fewest bytes in use. */
  private Remedy bestHole(int segment) {
    int first = layout.firstBlock(segment);
    int end = layout.firstBlock(segment + 1);
    Remedy best = null;
    int behind = first;
    long length = 0;
    long used = 0;
    for (int from = first; from < end; from++) {
      while (behind < end && length < failure.roundedBytes()) {
        length += layout.blockBytes(behind);
        used += usedBytes(behind);
        behind++;
      }
      if (length < failure.roundedBytes()) {
        break;
      }
      if (best == null || used < best.bytes()) {
        long hole = length + freeAround(segment, from, behind);
        if (mayUse(hole)) {
          best = hole(segment, from, behind, used, hole);
        }
      }
      length -= layout.blockBytes(from);
      used -= usedBytes(from);
    }
    return best;
  }

  private long usedBytes(int block) {
    return layout.state(block) == BlockState.INACTIVE ? 0 : layout.blockBytes(block);
  }

  private long freeAround(int segment, int from, int behind) {
    long bytes = 0;
    if (from > layout.firstBlock(segment) && usedBytes(from - 1) == 0) {
      bytes += layout.blockBytes(from - 1);
    }
    if (behind < layout.firstBlock(segment + 1) && usedBytes(behind) == 0) {
      bytes += layout.blockBytes(behind);
    }
    return bytes;
  }

  private Remedy hole(int segment, int from, int behind, long used, long holeBytes) {
    List<Pins.Block> blocks = new ArrayList<>();
    for (int block = from; block < behind; block++) {
      if (usedBytes(block) > 0) {
        blocks.add(Pins.block(layout, block));
      }
    }
    return new Remedy(Way.HOLE, blocks, List.of(segment), used, holeBytes, false);
  }

  // Released segments.

  private Optional<Remedy> bestRelease() {
    if (missingBytes <= 0) {
      return Optional.empty();
    }
    List<Pins.Segment> pinned =
        Pins.of(layout, config.largeSegmentBytes(), Pins.Order.RATIO).stream()
            .filter(segment -> segment.pool() == 0)
            .toList();
    Optional<Remedy> one =
        pinned.stream()
            .filter(segment -> segment.bytes() >= missingBytes)
            .min(Comparator.comparingLong(Pins.Segment::pinningBytes))
            .map(segment -> release(List.of(segment)));
    Optional<Remedy> several = greedyRelease(pinned);
    return one.isEmpty() || (several.isPresent() && several.get().bytes() < one.get().bytes())
        ? several
        : one;
  }

  private Optional<Remedy> greedyRelease(List<Pins.Segment> pinned) {
    List<Pins.Segment> ranked = new ArrayList<>(pinned);
    ranked.sort(
        Comparator.comparingDouble(segment -> (double) segment.pinningBytes() / segment.bytes()));
    List<Pins.Segment> chosen = new ArrayList<>();
    long released = 0;
    for (Pins.Segment segment : ranked) {
      if (released >= missingBytes) {
        break;
      }
      chosen.add(segment);
      released += segment.bytes();
    }
    if (released < missingBytes) {
      return Optional.empty();
    }
    // What later ones made needless goes again, the most bytes in use first.
    List<Pins.Segment> costly = new ArrayList<>(chosen);
    costly.sort(Comparator.comparingLong(Pins.Segment::pinningBytes).reversed());
    for (Pins.Segment segment : costly) {
      if (released - segment.bytes() >= missingBytes) {
        chosen.remove(segment);
        released -= segment.bytes();
      }
    }
    return Optional.of(release(chosen));
  }

  private static Remedy release(List<Pins.Segment> segments) {
    return new Remedy(
        Way.RELEASE,
        segments.stream().flatMap(segment -> segment.blocks().stream()).toList(),
        segments.stream().map(Pins.Segment::index).toList(),
        segments.stream().mapToLong(Pins.Segment::pinningBytes).sum(),
        segments.stream().mapToLong(Pins.Segment::bytes).sum(),
        false);
  }
}
