package org.allocsim.reports.answer.moment;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Unit.BYTES;
import static org.allocsim.reports.document.Unit.COUNT;
import static org.allocsim.reports.document.Unit.FLAG;
import static org.allocsim.reports.document.Unit.NUMBER;
import static org.allocsim.reports.document.Unit.TEXT;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.moment.Blockers;
import org.allocsim.analysis.moment.FitTrial;
import org.allocsim.analysis.moment.FitTrial.Remedy;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks hold which segments open.
 *
 * @param at the program and the moment
 * @param heldOpen the segments held open, ranked
 * @param trial trials at the moment of a failed request, else null
 * @param remedies what the trials found
 * @param steps the program's steps, empty where it has none
 * @param limits how much is shown on paper
 */
public record BlockersAnswer(
    ProgramMoment at,
    List<Blockers.Segment> heldOpen,
    @Nullable FitTrial trial,
    List<Remedy> remedies,
    Optional<Iterations> steps,
    TableLimits limits) {
  private static final int BLOCKS_SHOWN = 3;
  private static final String BEFORE = "the history does not include the allocation";
  private static final String NO_FAILURE = "no request failed at the moment";

  private static final Shape<Blocker> BLOCKS =
      Shape.of(block ->
          block
              .term(Columns.ADDRESS, each -> Long.toUnsignedString(each.block().address()))
              .bytes("bytes", "block", "Its size.", each -> each.block().bytes())
              .term(Columns.REQUESTED_BYTES, each -> each.block().requestedBytes())
              .flag(
                  "pending_free",
                  "Whether it was freed but is still in use on another stream.",
                  each -> each.block().awaiting())
              .shown(
                  TEXT,
                  "state",
                  "Whether it was freed but is still in use on another stream.",
                  each -> each.block().awaiting() ? "waiting to be freed" : null)
              .optional()
              .count(
                  "request_index",
                  "Number of the allocation request, from 0.",
                  each -> each.known(each.request()))
              .missing(BEFORE)
              .shown(
                  COUNT,
                  "request",
                  "Number of the allocation request, from 0.",
                  each ->
                      each.program().isEndOnly()
                          ? null
                          : each.request() < 0 ? "before" : each.request())
              .optional()
              .rank(2)
              .count(
                  "age_steps",
                  "Steps since its allocation.",
                  each -> each.steps().isEmpty() ? null : each.known(each.ageInSteps()))
              .missing(BEFORE + " or the program has no steps")
              .count(
                  "age_requests",
                  "Allocation requests since its own.",
                  each -> each.known(each.ageInRequests()))
              .missing(BEFORE)
              .nanos("age_nanos", "Time since its allocation.", each -> each.known(each.ageNanos()))
              .missing(BEFORE)
              .shown(TEXT, "age", "Steps, requests and time since its allocation.", Blocker::age)
              .optional()
              .text(
                  "stack",
                  "allocated at",
                  "Innermost frames of its allocation stack.",
                  Blocker::stack));

  private static final Shape<OpenSegment> SEGMENT =
      Shape.of(segment ->
          segment
              .text("stream", "Handle of its stream.", OpenSegment::stream)
              .count("pool", "Number of its pool; 0 is the default pool.", each -> each.of().pool())
              .flag("expandable", "Whether it is expandable.", each -> each.of().expandable())
              .bytes(
                  "free_bytes",
                  "Free bytes that cannot be released.",
                  each -> each.of().freeBytes())
              .bytes("blocker_bytes", "Bytes of blocks in use.", each -> each.of().blockerBytes())
              .flag(
                  "request_fits_if_freed",
                  "Whether the failed request would fit if none of its blocks were in use.",
                  OpenSegment::fits)
              .missing(NO_FAILURE));

  private static final Shape<OpenSegment> SEGMENTS =
      Shape.of(segment ->
          segment
              .term(Columns.ADDRESS, OpenSegment::address)
              .term(Columns.BYTES, each -> each.of().bytes())
              .embed(SEGMENT, each -> each)
              .many("blocks", "The blocks in use, by address.", BLOCKS, OpenSegment::blocks));

  private static final Shape<Row> ROWS =
      Shape.of(row ->
          row.text("segment_address", "Address, in decimal.", each -> each.segment().address())
              .bytes("segment_bytes", "Its size.", each -> each.segment().of().bytes())
              .embed(SEGMENT, Row::segment)
              .shown(BYTES, "segment", "Its size.", each -> each.first(each.of().bytes()))
              .shown(TEXT, "at", "Its address.", each -> each.first(hex(each.of().address())))
              .rank(1)
              .shown(
                  BYTES,
                  "free",
                  "Free bytes that cannot be released.",
                  each -> each.first(each.of().freeBytes()))
              .shown(
                  BYTES,
                  "in use",
                  "Bytes of blocks in use.",
                  each -> each.first(each.of().blockerBytes()))
              .rank(4)
              .shown(
                  NUMBER,
                  "free/used",
                  "Free bytes held per byte in use.",
                  each -> each.first(each.of().freePerByte()))
              .rank(5)
              .shown(
                  COUNT,
                  "blocks",
                  "Number of blocks in use.",
                  each -> each.first(each.of().blocks().size()))
              .rank(3)
              .shown(
                  FLAG,
                  "fits without",
                  "Whether the failed request would fit if none of its blocks were in use.",
                  each -> each.segment().fits() == null ? null : each.first(each.segment().fits()))
              .optional()
              .embed(BLOCKS, Row::block));

  private static final Shape<Way> WAYS =
      Shape.of(way ->
          way.text(
                  "way",
                  "hole: one opens in a segment; release: whole segments can be released.",
                  each -> each.remedy().way().name().toLowerCase(Locale.ROOT))
              .flag(
                  "confirmed",
                  "Whether the simulation confirms that the request then fits.",
                  each -> each.remedy().confirmed())
              .bytes("bytes", "Total size of the blocks.", each -> each.remedy().bytes())
              .bytes(
                  "gained_bytes",
                  "Size of the hole or of the released segments.",
                  each -> each.remedy().gainedBytes())
              .text(
                  "minimum",
                  "What is minimal about this choice of blocks: bytes, blocks or nothing.",
                  each -> each.remedy().minimum().name().toLowerCase(Locale.ROOT))
              .many("blocks", "The blocks.", BLOCKS, Way::blocks));

  public static final Kind<BlockersAnswer> KIND =
      new Kind<>(
          "blockers",
          "blockers --json",
          "What `allocsim blockers --json` writes: the blocks that hold segments open.",
          Shape.of(answer ->
              answer
                  .embed(ProgramMoment.SHAPE, BlockersAnswer::at)
                  .many(
                      "segments",
                      "Segments held open by blocks, ranked.",
                      SEGMENTS,
                      BlockersAnswer::segments)
                  .term(
                      Columns.MISSING_AT_FAILURE,
                      each -> each.trial == null ? null : each.trial.missingBytes())
                  .missing(NO_FAILURE)
                  .flag(
                      "limit_inferred",
                      "Whether the limit was inferred as the largest that explains the failures.",
                      each -> each.trial == null ? null : each.trial.isLimitInferred())
                  .missing(NO_FAILURE)
                  .many(
                      "fits_if_freed",
                      "Blocks that might let the failed request fit if they were freed.",
                      WAYS,
                      BlockersAnswer::ways)
                  .missing(NO_FAILURE)));

  /**
   * What holds segments open at a moment.
   *
   * @param order how segments are ranked
   */
  public static BlockersAnswer of(
      ReplayedProgram program, MemoryMoment moment, Blockers.Order order, TableLimits limits) {
    long pageBytes =
        program
            .landmarks()
            .map(landmarks -> landmarks.program().config().allocator().largeSegmentBytes())
            .orElse(AllocatorConfig.DEFAULT_LARGE_SEGMENT_BYTES);
    FitTrial trial =
        moment.failure() == null
            ? null
            : program.landmarks().map(each -> new FitTrial(each, moment)).orElse(null);
    return new BlockersAnswer(
        new ProgramMoment(program, moment),
        Blockers.of(moment.layout(), pageBytes, order),
        trial,
        trial == null ? List.of() : trial.remedies(),
        program.steps(),
        limits);
  }

  public Document<BlockersAnswer> document() {
    List<Row> rows = rows();
    List<Block> blocks = new ArrayList<>(List.of(at.facts()));
    if (trial != null) {
      for (Remedy remedy : remedies) {
        blocks.add(new Notes(null, List.of(sentence(remedy, trial))));
        blocks.add(
            Table.of(
                    "Freeing these blocks may let the request fit",
                    Shape.<Blocker>of(block ->
                        block
                            .shown(TEXT, "at", "Its address.", each -> hex(each.block().address()))
                            .embed(BLOCKS, each -> each)),
                    blocks(remedy.blocks()))
                .first(limits.top(), new Table.More("block", "--json FILE has all")));
      }
    }
    if (!heldOpen.isEmpty()) {
      blocks.add(
          Table.of("Segments held open", ROWS, rows)
              .keeping(
                  each -> each.rank() < limits.top() && each.place() < BLOCKS_SHOWN,
                  new Table.More("block", "--csv FILE has all")));
    }
    blocks.add(at.memory());
    blocks.addAll(at.notes());
    rows.sort(
        Comparator.comparingInt(Row::rank).thenComparingInt(row -> row.block().block().index()));
    return new Document<>(
        KIND,
        at.title(),
        verdict(),
        List.of(new Section(null, blocks)),
        Table.of("Blocks", ROWS, rows),
        this);
  }

  private Verdict verdict() {
    List<Sentence> details = new ArrayList<>();
    if (trial != null && trial.missingBytes() <= 0) {
      details.add(
          Sentence.of(
              "The device had enough free memory for the failed request; segments held open are not"
                  + " the cause."));
    }
    if (trial != null && remedies.isEmpty()) {
      details.add(
          Sentence.of(
              "Even with every held-open segment released, the request would not have fitted:"
                  + " held-open memory is not the cause."));
    }
    if (trial != null && trial.isLimitInferred()) {
      details.add(
          Sentence.of(
              "The memory limit is not recorded; the largest one that explains the failure is"
                  + " assumed, so the real shortfall may be larger. Pass the limit with"
                  + " --memory-fraction or --memory-limit."));
    }
    return new Verdict(
        trial == null ? Tone.NEUTRAL : Tone.BAD,
        Sentence.of(
            "{} of free memory in {} is held open by {} of blocks.",
            bytes(heldOpen.stream().mapToLong(Blockers.Segment::freeBytes).sum()),
            count(heldOpen.size(), "segment"),
            bytes(heldOpen.stream().mapToLong(Blockers.Segment::blockerBytes).sum())),
        details);
  }

  private Sentence sentence(Remedy remedy, FitTrial trial) {
    int blocks = remedy.blocks().size();
    Sentence gain =
        remedy.way() == FitTrial.Way.HOLE
            ? Sentence.of(
                "a {} hole opens in the segment at {}",
                bytes(remedy.gainedBytes()),
                hex(at.moment().layout().segmentAddress(remedy.segments().getFirst())))
            : Sentence.of(
                "{} in {} can be released, {}{} was missing",
                bytes(remedy.gainedBytes()),
                count(remedy.segments().size(), "segment"),
                trial.isLimitInferred() ? "at least " : "",
                bytes(trial.missingBytes()));
    return Sentence.of(
        "Without {} ({}) the failed request for {} {} {}; {}.",
        blocks == 1 ? "one block" : Sentence.of("these {} blocks", count(blocks)),
        bytes(remedy.bytes()),
        bytes(trial.requestedBytes()),
        remedy.confirmed()
            ? "fits (confirmed by simulation):"
            : "does not fit (simulated), although",
        gain,
        switch (remedy.minimum()) {
          case BYTES -> "no smaller total would do";
          case BLOCKS -> "no fewer blocks would do";
          case NOTHING -> "fewer blocks may be enough";
        });
  }

  private @Nullable List<Way> ways() {
    return trial == null ? null : remedies.stream().map(each -> new Way(this, each)).toList();
  }

  private List<OpenSegment> segments() {
    return heldOpen.stream()
        .map(each ->
            new OpenSegment(this, each, trial == null ? null : trial.fitsWithoutAllOf(each)))
        .toList();
  }

  /** The blocks of all segments, the largest of each segment first. */
  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    int rank = 0;
    for (OpenSegment segment : segments()) {
      List<Blockers.Block> blocks = new ArrayList<>(segment.of().blocks());
      blocks.sort(
          Comparator.comparingLong(Blockers.Block::bytes)
              .reversed()
              .thenComparingInt(Blockers.Block::index));
      for (Blocker block : blocks(blocks)) {
        rows.add(new Row(segment, block, rank));
      }
      rank++;
    }
    return rows;
  }

  private List<Blocker> blocks(List<Blockers.Block> blocks) {
    List<Blocker> list = new ArrayList<>();
    blocks.forEach(block -> list.add(new Blocker(this, block, list.size())));
    return list;
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }

  private record Way(BlockersAnswer answer, Remedy remedy) {
    private List<Blocker> blocks() {
      return answer.blocks(remedy.blocks());
    }
  }

  private record OpenSegment(BlockersAnswer answer, Blockers.Segment of, @Nullable Boolean fits) {
    private String address() {
      return Long.toUnsignedString(of.address());
    }

    private String stream() {
      return answer.at.program().stream(of.stream());
    }

    private List<Blocker> blocks() {
      return answer.blocks(of.blocks());
    }
  }

  /** A block of a segment; the first one of it names the segment. */
  private record Row(OpenSegment segment, Blocker block, int rank) {
    private Blockers.Segment of() {
      return segment.of();
    }

    private int place() {
      return block.place();
    }

    private Object first(Object value) {
      return place() == 0 ? value : "";
    }
  }

  private record Blocker(BlockersAnswer answer, Blockers.Block block, int place) {
    private ReplayedProgram program() {
      return answer.at.program();
    }

    private MemoryMoment moment() {
      return answer.at.moment();
    }

    private Optional<Iterations> steps() {
      return answer.steps;
    }

    /** Number of the request; −1 where the history does not hold it. */
    private long request() {
      return program().isEndOnly() ? -1 : program().origins().request(block.allocation());
    }

    private @Nullable Long known(long value) {
      return request() < 0 ? null : Long.valueOf(value);
    }

    private long ageInRequests() {
      return moment().requestIndex() - request();
    }

    private long ageNanos() {
      return request() < 0
          ? 0
          : moment().timeNanos() - program().origins().timeNanos(block.allocation());
    }

    private long ageInSteps() {
      return request() < 0 ? 0 : (long) stepOf(moment().requestIndex()) - stepOf(request());
    }

    private int stepOf(long request) {
      int row = program().origins().rowOfRequest(request).orElseThrow();
      return steps().orElseThrow().iterationOf(row);
    }

    /** Age in steps where there are any, in requests and, where times are known, in seconds. */
    private @Nullable String age() {
      if (request() < 0) {
        return program().isEndOnly() ? null : "";
      }
      return (steps().isEmpty() ? "" : Numbers.count(ageInSteps(), "step") + ", ")
          + Numbers.count(ageInRequests(), "request")
          + (moment().elapsedNanos() > 0 ? ", " + Numbers.seconds(ageNanos()) : "");
    }

    private String stack() {
      String label =
          new StackLabels(program().origins().stackTable(), answer.limits.frames())
              .label(program().origins().stack(block.allocation()));
      return label.isEmpty() ? "no stack recorded" : label;
    }
  }
}
