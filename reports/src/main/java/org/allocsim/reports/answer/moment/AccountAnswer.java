package org.allocsim.reports.answer.moment;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.account.GpuAccount;
import org.allocsim.analysis.account.GpuAccount.Line;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.MemoryParts;
import org.allocsim.reports.answer.part.MemoryParts.Part;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * Where the memory of a GPU is.
 *
 * @param at the program and the moment
 * @param account the parts
 * @param source where the size of the GPU comes from
 */
public record AccountAnswer(ProgramMoment at, GpuAccount account, String source) {
  private static final Shape<Line> LINES =
      Shape.of(line ->
          line.text(
                  "part", "Name of the part.", each -> each.part().name().toLowerCase(Locale.ROOT))
              .term(Columns.BYTES, Line::bytes)
              .text("source", "Where the figure comes from.", Line::source));

  public static final Kind<AccountAnswer> KIND =
      new Kind<>(
          "account",
          "account --json",
          "What `allocsim account --json` writes: the GPU's memory, part by part.",
          Shape.of(answer ->
              answer
                  .embed(ProgramMoment.SHAPE, AccountAnswer::at)
                  .many("lines", "The parts, which add up.", LINES, each -> each.account.lines())
                  .term(Columns.RESERVED_BY_PYTORCH, each -> each.account.reservedBytes())
                  .term(Columns.GPU_BYTES, each -> each.account.totalBytes())
                  .term(Columns.GPU_SOURCE, AccountAnswer::source)));

  /**
   * The account of a GPU at a moment of a program.
   *
   * @param notes what the reader of results should know besides what concerns the program
   */
  public static AccountAnswer of(
      ReplayedProgram program, List<String> notes, MemoryMoment moment, GpuAccount.Gpu gpu) {
    return new AccountAnswer(
        new ProgramMoment(program.withNotes(notes), moment),
        GpuAccount.of(moment, gpu),
        gpu.totalSource());
  }

  public Document<AccountAnswer> document() {
    List<Block> blocks = new ArrayList<>();
    blocks.add(at.facts());
    blocks.add(MemoryParts.table("where the GPU's memory goes", parts()));
    blocks.addAll(at.notes());
    return new Document<>(
        KIND,
        at.title(),
        verdict(),
        List.of(new Section(null, blocks)),
        Table.of("Parts", LINES, account.lines()),
        this);
  }

  private Verdict verdict() {
    boolean isFreeKnown =
        account.lines().stream().anyMatch(line -> line.part() == GpuAccount.Part.FREE);
    String unexplained = ByteFormat.human(bytes(GpuAccount.Part.UNEXPLAINED));
    return new Verdict(
        Verdict.Tone.NEUTRAL,
        Sentence.of(
            "PyTorch has reserved {} of the GPU's {}; {}.",
            ByteFormat.human(account.reservedBytes()),
            ByteFormat.human(account.totalBytes()),
            isFreeKnown
                ? Sentence.of(
                    "{} is free, {} is unexplained",
                    ByteFormat.human(bytes(GpuAccount.Part.FREE)),
                    unexplained)
                : Sentence.of("{} is free or unexplained", unexplained)));
  }

  private long bytes(GpuAccount.Part part) {
    return account.lines().stream()
        .filter(line -> line.part() == part)
        .mapToLong(Line::bytes)
        .sum();
  }

  private List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    boolean isInside = true;
    for (Line line : account.lines()) {
      if (isInside && !line.part().isReserved()) {
        isInside = false;
        parts.add(new Part("= reserved by PyTorch", account.reservedBytes(), ""));
      }
      if (line.bytes() != 0 || !isRare(line.part())) {
        String sign = parts.isEmpty() ? "" : "+ ";
        parts.add(new Part(sign + line.part().label(), line.bytes(), line.source()));
      }
    }
    parts.add(new Part("= the GPU", account.totalBytes(), source));
    return parts;
  }

  /** Parts that most programs do not have. */
  private static boolean isRare(GpuAccount.Part part) {
    return switch (part) {
      case CACHED_AWAITING, CACHED_OTHER_STREAMS, CACHED_PRIVATE, POOLS -> true;
      default -> false;
    };
  }
}
