package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.RequestSizes;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.Run;
import org.jspecify.annotations.Nullable;

/**
 * Would a failed request have fitted without a few blocks? Looks for the cheapest blocks whose
 * absence leaves a hole that is large enough in one segment, and for those whose absence lets
 * enough whole segments be released; then frees them in the simulated allocator at the moment of
 * the failure and asks again.
 *
 * <p>The hole is the one with the fewest bytes in use of all runs of blocks in one segment that are
 * long enough. What is released are the segments and pages with the fewest bytes in use, or with
 * the fewest blocks in use, of all that are enough together; see {@link MinimalReleaseSearch}, also
 * for its bound. Both at once are not looked for, nor are holes that an expandable segment closes
 * by growing, so that a request may come to fit with fewer bytes than either way shows.
 */
public final class FitTrial {
  /** How a request comes to fit. */
  public enum Way {
    /** A free hole in a segment of its pool and stream. */
    HOLE,
    /** Segments and pages that are released, so that new ones can be obtained. */
    RELEASE
  }

  /** What no other set of blocks with the same effect has less of. */
  public enum Minimum {
    /** Bytes; of sets of the same bytes it is one of the fewest blocks. */
    BYTES,
    /** Blocks; of sets of the same number it is one of the fewest bytes. */
    BLOCKS,
    /** There may be better sets. */
    NOTHING
  }

  /**
   * Blocks without which the request may fit.
   *
   * @param way how it comes to fit
   * @param blocks the blocks that must not be there
   * @param segments numbers of their segments in the layout
   * @param bytes what the blocks take
   * @param gainedBytes size of the hole, or of the segments and pages that are released
   * @param minimum what no other blocks with that effect have less of
   * @param confirmed whether the simulated allocator served the request without the blocks
   */
  public record Remedy(
      Way way,
      List<Blockers.Block> blocks,
      List<Integer> segments,
      long bytes,
      long gainedBytes,
      Minimum minimum,
      boolean confirmed) {
    /** Keeps its own copies. */
    public Remedy {
      blocks = List.copyOf(blocks);
      segments = List.copyOf(segments);
    }

    /** Whether another one takes no more blocks and no more bytes. */
    private boolean isWorseThan(Remedy other) {
      return other.blocks.size() <= blocks.size() && other.bytes <= bytes;
    }

    private Remedy withVerdict(boolean served) {
      return new Remedy(way, blocks, segments, bytes, gainedBytes, minimum, served);
    }
  }

  private final Landmarks landmarks;
  private final FailedRequest failure;
  private final OutOfMemory shortage;
  private final MemoryLayout layout;
  private final AllocatorConfig config;
  private final long missingBytes;

  /** Trials at the moment of a failed request. */
  public FitTrial(Landmarks landmarks, MemoryMoment moment) {
    this.landmarks = landmarks;
    failure = Objects.requireNonNull(moment.failure());
    shortage = Objects.requireNonNull(failure.shortage());
    layout = moment.layout();
    config = landmarks.program().config().allocator();
    missingBytes = missingBytes(moment.bytes().reservedBytes());
  }

  /** What has to be released before the segment for the request can be obtained. */
  private long missingBytes(long reservedBytes) {
    long wanted = shortage.segmentBytes();
    if (config.expandableSegments()) {
      long page = config.largeSegmentBytes();
      wanted = Math.max(wanted, (shortage.roundedBytes() + page - 1) / page * page);
    }
    long grantable = shortage.deviceFreeBytes();
    if (shortage.limitBytes() >= 0) {
      grantable = Math.min(grantable, shortage.limitBytes() - reservedBytes);
    }
    return wanted - grantable;
  }

  /** Bytes that had to be released for the request; not above 0 where memory was not short. */
  public long missingBytes() {
    return missingBytes;
  }

  /** What the failed request asked for. */
  public long requestedBytes() {
    return failure.requestedBytes();
  }

  /** Whether the limit is the largest that explains the failures, so that more may be missing. */
  public boolean isLimitInferred() {
    return landmarks.program().isLimitInferred();
  }

  /** Whether the request would fit if nothing in a segment were in use. */
  public boolean fitsWithoutAllOf(Blockers.Segment segment) {
    boolean released = segment.pool() == 0 && missingBytes > 0 && segment.bytes() >= missingBytes;
    return released
        || (serves(segment.index())
            && segment.bytes() >= shortage.roundedBytes()
            && mayUse(segment.bytes()));
  }

  /** The best sets of blocks, the fewest blocks first; none where no set was found. */
  public List<Remedy> remedies() {
    List<Remedy> remedies = new ArrayList<>();
    bestHole().ifPresent(remedies::add);
    remedies.addAll(bestReleases());
    return remedies.stream()
        .map(remedy -> remedy.withVerdict(isServedWithout(remedy.blocks())))
        .sorted(
            Comparator.comparing(Remedy::confirmed)
                .reversed()
                .thenComparingInt(remedy -> remedy.blocks().size())
                .thenComparingLong(Remedy::bytes))
        .toList();
  }

  /** Replays up to the failure, gives the blocks back and asks again. */
  boolean isServedWithout(List<Blockers.Block> blocks) {
    Run run = MomentFinder.runTo(landmarks, failure.row());
    if (landmarks.hasRecordedAddresses()) {
      run.leaveRecording(shortage.deviceFreeBytes());
    }
    for (Blockers.Block block : blocks) {
      run.policy().free(block.allocation());
    }
    long address =
        run.policy()
            .allocate(
                failure.allocation(), failure.requestedBytes(), shortage.stream(), failure.pool());
    return address != AllocatorPolicy.OUT_OF_MEMORY;
  }

  // A hole.

  /** Whether blocks of a segment can serve the request. */
  private boolean serves(int segment) {
    return layout.segmentPool(segment) == failure.pool()
        && layout.stream(segment) == shortage.stream()
        && layout.isSmall(segment) == (shortage.roundedBytes() <= RequestSizes.SMALL_REQUEST_BYTES);
  }

  /** Whether best fit may take a block of this size, by the rules of {@code max_split_size_mb}. */
  private boolean mayUse(long holeBytes) {
    if (isOversize(shortage.roundedBytes())) {
      return Long.compareUnsigned(
              holeBytes, shortage.roundedBytes() + config.maxNonSplitRoundingBytes())
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
      if (serves(segment) && layout.segmentBytes(segment) >= shortage.roundedBytes()) {
        Remedy hole = bestHole(segment);
        if (hole != null && (best == null || hole.bytes() < best.bytes())) {
          best = hole;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** The run of blocks that is long enough and has the fewest bytes in use. */
  private @Nullable Remedy bestHole(int segment) {
    int first = layout.firstBlock(segment);
    int end = layout.firstBlock(segment + 1);
    Remedy best = null;
    int after = first;
    long length = 0;
    long used = 0;
    for (int from = first; from < end; from++) {
      while (after < end && length < shortage.roundedBytes()) {
        length += layout.blockBytes(after);
        used += usedBytes(after);
        after++;
      }
      if (length < shortage.roundedBytes()) {
        break;
      }
      if (best == null || used < best.bytes()) {
        long hole = length + freeAround(segment, from, after);
        if (mayUse(hole)) {
          best = hole(segment, from, after, used, hole);
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

  private long freeAround(int segment, int from, int after) {
    long bytes = 0;
    if (from > layout.firstBlock(segment) && usedBytes(from - 1) == 0) {
      bytes += layout.blockBytes(from - 1);
    }
    if (after < layout.firstBlock(segment + 1) && usedBytes(after) == 0) {
      bytes += layout.blockBytes(after);
    }
    return bytes;
  }

  private Remedy hole(int segment, int from, int after, long used, long holeBytes) {
    List<Blockers.Block> blocks = new ArrayList<>();
    for (int block = from; block < after; block++) {
      if (usedBytes(block) > 0) {
        blocks.add(Blockers.block(layout, block));
      }
    }
    return new Remedy(Way.HOLE, blocks, List.of(segment), used, holeBytes, Minimum.BYTES, false);
  }

  // Released segments.

  /** The release with the fewest bytes, and the one with the fewest blocks if it is another. */
  private List<Remedy> bestReleases() {
    if (missingBytes <= 0) {
      return List.of();
    }
    MinimalReleaseSearch search = new MinimalReleaseSearch(layout, config.largeSegmentBytes());
    List<Remedy> releases = new ArrayList<>();
    for (Minimum minimum : new Minimum[] {Minimum.BYTES, Minimum.BLOCKS}) {
      Remedy release = search.find(missingBytes, minimum).map(this::release).orElse(null);
      if (release != null && releases.stream().noneMatch(release::isWorseThan)) {
        releases.add(release);
      }
    }
    return releases;
  }

  private Remedy release(MinimalReleaseSearch.Plan plan) {
    return new Remedy(
        Way.RELEASE,
        plan.blocks().stream().map(block -> Blockers.block(layout, block)).toList(),
        plan.segments(),
        plan.bytes(),
        plan.releasedBytes(),
        plan.minimum(),
        false);
  }
}
