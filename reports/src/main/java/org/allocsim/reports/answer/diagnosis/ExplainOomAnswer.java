package org.allocsim.reports.answer.diagnosis;

import static org.allocsim.reports.document.Quantity.count;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.analysis.oom.BfcDump;
import org.allocsim.analysis.oom.ByteRange;
import org.allocsim.analysis.oom.GpuAccount;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.analysis.oom.OomMessage;
import org.allocsim.analysis.oom.OomSettings;
import org.allocsim.analysis.oom.OomVerdict;
import org.allocsim.analysis.oom.PrintedSize;
import org.allocsim.analysis.oom.SummaryTable;
import org.allocsim.analysis.oom.Wording;
import org.allocsim.analysis.oom.engine.EngineReport;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.jspecify.annotations.Nullable;

/**
 * Why the requests of out-of-memory messages failed.
 *
 * @param name of the log
 * @param contents what the log holds
 * @param settings of the run
 * @param explanations one for each message of the contents, in their order
 */
public record ExplainOomAnswer(
    String name,
    OomLog.Contents contents,
    OomSettings settings,
    List<OomExplanation> explanations) {
  private static final String UNKNOWN = "unknown";

  /** Explanation of a verdict. */
  static final String VERDICT =
      "The verdict's word: "
          + Arrays.stream(OomVerdict.values())
              .map(verdict -> verdict.word() + " (" + verdict.meaning() + ")")
              .collect(Collectors.joining(", "))
          + ".";

  private static final Shape<ByteRange> RANGE =
      Shape.of(range ->
          range
              .bytes("bytes", "Size.", each -> Math.round(each.value()))
              .bytes(
                  "low_bytes",
                  "Smallest size that is printed this way.",
                  each -> (long) Math.ceil(each.low()))
              .bytes(
                  "high_bytes",
                  "Largest size that is printed this way.",
                  each -> (long) Math.floor(each.high())));

  private static final Shape<PrintedSize> SIZE =
      Shape.of(size ->
          size.text("text", "As printed.", PrintedSize::text).embed(RANGE, PrintedSize::bytes));

  private static final Shape<OomMessage.ProcessUse> PROCESS =
      Shape.of(process ->
          process
              .count("pid", "Number of the process.", OomMessage.ProcessUse::pid)
              .embed(SIZE, OomMessage.ProcessUse::size));

  private static final Shape<Part> PART =
      Shape.of(part ->
          part.text("name", "What it is.", each -> each.part().name())
              .bytes("bytes", "Its size, with the message's precision.", Part::bytes)
              .flag(
                  "within_part_above",
                  "Whether it is part of the row above.",
                  each -> each.part().within()));

  private static final Shape<GpuAccount> ACCOUNT =
      Shape.of(account ->
          account
              .bytes(
                  "gpu_bytes",
                  "Memory of the GPU, with the message's precision.",
                  each -> bytes(each, each.totalHundredths()))
              .many(
                  "parts",
                  "The parts.",
                  PART,
                  each -> each.parts().stream().map(part -> new Part(each, part)).toList()));

  private static final Shape<Summary> SUMMARY =
      Shape.<Summary>of(summary ->
              summary
                  .term(Columns.LINE, each -> each.table().line())
                  .flag(
                      "same_moment",
                      "Whether it is from the same moment as the message.",
                      each -> each.table().isOfTheMomentOf(each.of().message())))
          .and(summary -> {
            for (SummaryTable.Row row : SummaryTable.Row.values()) {
              String key = row.name().toLowerCase(Locale.ROOT);
              summary
                  .one(
                      key,
                      "The table's row of " + key.replace('_', '-') + " memory.",
                      RANGE,
                      each -> each.table().bytes(row).orElse(null))
                  .missing("it is not printed");
            }
          })
          .and(summary ->
              summary
                  .one(
                      "rounding",
                      "Memory lost to rounding.",
                      RANGE,
                      each -> each.table().roundingBytes().orElse(null))
                  .missing(UNKNOWN)
                  .one(
                      "pending_free",
                      "Freed, still in use on another stream.",
                      RANGE,
                      each -> each.table().awaitingBytes().orElse(null))
                  .missing(UNKNOWN)
                  .one(
                      "whole_free_segments",
                      "Memory in whole free segments.",
                      RANGE,
                      each -> each.table().releasableBytes().orElse(null))
                  .missing(UNKNOWN));

  private static final Shape<Message> MESSAGE =
      Shape.of(message ->
          message
              .text("oom_verdict", VERDICT, each -> each.why().verdict().word())
              .term(Columns.EXIT_CODE, each -> ExitCodes.of(each.why().verdict()))
              .texts(
                  "possible",
                  "Verdicts consistent with the printed figures.",
                  each -> each.why().possible().stream().map(OomVerdict::word).toList())
              .term(Columns.HEADLINE, each -> each.why().headline())
              .term(Columns.LINE, each -> each.found().line())
              .text(
                  "source",
                  "Prefix of the log's line, such as a rank.",
                  each -> emptyToNull(each.found().source()))
              .missing("it has none")
              .count("count", "Occurrences of the message.", each -> each.found().count())
              .count(
                  "device",
                  "Number of the GPU.",
                  each -> each.message().deviceIndex() < 0 ? null : each.message().deviceIndex())
              .missing("the message names none")
              .text(
                  "wording",
                  "Program and releases that use this wording.",
                  each -> each.message().wording().versions())
              .named(
                  SIZE,
                  "printed",
                  "Amounts of the message.",
                  "An amount that the message prints.",
                  Message::printed)
              .many(
                  "processes",
                  "Processes that the message names.",
                  PROCESS,
                  each -> each.message().processes())
              .one(
                  "surplus",
                  "What perfect packing would leave.",
                  RANGE,
                  each -> each.why().leftOver().orElse(null))
              .missing(UNKNOWN)
              .one(
                  "other",
                  "Memory held by other processes on the GPU.",
                  RANGE,
                  each -> each.why().other().orElse(null))
              .missing(UNKNOWN)
              .flag(
                  "nearly_full",
                  "Whether the memory is nearly full.",
                  each -> each.why().nearlyFull())
              .flag(
                  "large_other",
                  "Whether other processes hold much of it.",
                  each -> each.why().largeOther())
              .one(
                  "account",
                  "The GPU's memory, part by part.",
                  ACCOUNT,
                  each -> each.why().account().orElse(null))
              .missing(UNKNOWN)
              .one(
                  "memory_summary",
                  "A table of torch.cuda.memory_summary().",
                  SUMMARY,
                  each -> each.why().table().map(table -> new Summary(each, table)).orElse(null))
              .missing("the log has none")
              .text(
                  "equation",
                  "The verdict's figures as an equation.",
                  each -> emptyToNull(each.why().equation()))
              .missing("there is none")
              .one(
                  "engine",
                  "Figures in an inference engine's log, the last of each kind.",
                  EnginePart.FIGURES,
                  each -> each.why().engine().orElse(null))
              .missing("the log is not from an engine")
              .many(
                  "engine_changes",
                  "Engine options that would have helped.",
                  EnginePart.CHANGE,
                  each -> each.why().changes())
              .texts("findings", "What the figures show.", each -> each.why().findings())
              .texts("can_help", "What can help.", each -> each.why().helps())
              .texts("cannot_help", "What cannot help.", each -> each.why().cannotHelp()));

  /** For programs. */
  static final Shape<ExplainOomAnswer> SHAPE =
      Shape.of(answer ->
          answer
              .term(Columns.FILE, ExplainOomAnswer::name)
              .count("lines", "Number of input lines.", each -> each.contents().lines())
              .text(
                  "oom_verdict",
                  "Verdict of the first conclusive message.",
                  each -> each.report() == null ? each.first().word() : null)
              .missing("the engine's log has no such message")
              .one(
                  "engine_report",
                  "Findings from an inference engine's log without such a message.",
                  EnginePart.REPORT,
                  ExplainOomAnswer::report)
              .missing("there are messages")
              .term(Columns.CONF, each -> each.settings().isKnown() ? each.settings().text() : null)
              .missing("they are unknown")
              .count(
                  "mentions_without_numbers",
                  "Messages without figures.",
                  each -> each.contents().bare().count())
              .count(
                  "skipped_messages",
                  "Messages beyond the storage limit.",
                  each -> each.contents().left())
              .many(
                  "messages",
                  "One entry per distinct message.",
                  MESSAGE,
                  ExplainOomAnswer::messages)
              .many(
                  "bfc_dumps",
                  "Dumps of BFC allocators.",
                  BfcDumpPart.SHAPE,
                  each -> each.contents().dumps()));

  public static final Kind<ExplainOomAnswer> KIND =
      new Kind<>(
          "explain-oom",
          "explain-oom --json",
          "What `allocsim explain-oom --json` writes: the causes of out-of-memory messages.",
          SHAPE);

  /** A part of a GPU's memory. */
  private record Part(GpuAccount account, GpuAccount.Part part) {
    private long bytes() {
      return ExplainOomAnswer.bytes(account, part.hundredths());
    }
  }

  /** The table that belongs to a message. */
  private record Summary(Message of, SummaryTable table) {}

  /** A message with its place and why the request failed. */
  private record Message(OomLog.Found found, OomExplanation why) {
    private OomMessage message() {
      return why.message();
    }

    private String headline() {
      return why.verdict().word() + ": " + why.headline();
    }

    private Map<String, PrintedSize> printed() {
      Map<String, PrintedSize> printed = new LinkedHashMap<>();
      message().amounts().forEach((amount, size) -> printed.put(amount.key(), size));
      return printed;
    }
  }

  /**
   * Explains what a log holds.
   *
   * @param name what messages call it
   * @param conf settings of the run; null for those that the log assigns
   * @throws Failure where it holds nothing to explain
   */
  public static ExplainOomAnswer of(String name, OomLog.Contents contents, @Nullable String conf) {
    if (contents.found().isEmpty() && contents.dumps().isEmpty() && contents.report().isEmpty()) {
      int exitCode = contents.bare().count() > 0 ? ExitCodes.NO_NUMBERS : ExitCodes.FAILED;
      throw new Failure(exitCode, name + nothingFound(contents));
    }
    OomSettings settings = conf == null ? contents.settings() : new OomSettings(conf, "by --conf");
    return new ExplainOomAnswer(name, contents, settings, contents.explain(settings));
  }

  private static String nothingFound(OomLog.Contents contents) {
    if (contents.lines() == 0) {
      return ": is empty; give a log or message";
    }
    OomLog.Bare bare = contents.bare();
    return bare.count() > 0
        ? ": line "
            + bare.firstLine()
            + " says that memory ran out, but without numbers; give the whole message if there is"
            + " more of it, else look at who holds the GPU's memory (nvidia-smi, rocm-smi): plain"
            + " errors of CUDA, HIP and their libraries, such as \"CUDA error: out of memory\","
            + " print none"
        : ": no out-of-memory message and no dump of a BFC allocator in "
            + contents.lines()
            + (contents.lines() == 1 ? " line" : " lines")
            + "; give the text from \"CUDA out of memory\" on";
  }

  /** How often a verdict was reached. */
  private record Tally(OomVerdict verdict, long messages, long times) {
    private Tally and(Tally other) {
      return new Tally(verdict, messages + other.messages, times + other.times);
    }
  }

  /** What an engine's log shows that has no message; null where there is one. */
  public @Nullable EngineReport report() {
    return contents.report().orElse(null);
  }

  /** How a command ends that gives this answer. */
  public int exitCode() {
    EngineReport report = report();
    if (report == null) {
      return ExitCodes.of(first());
    }
    return report.fits() ? ExitCodes.DONE : ExitCodes.of(OomVerdict.CAPPED);
  }

  /** The verdict of the first message that decides, of the first dump if none does. */
  public OomVerdict first() {
    return Stream.concat(
            explanations.stream().map(OomExplanation::verdict),
            contents.dumps().stream().map(BfcDump::verdict))
        .filter(verdict -> verdict != OomVerdict.UNKNOWN)
        .findFirst()
        .orElse(OomVerdict.UNKNOWN);
  }

  /**
   * The answer.
   *
   * @param show how many messages, and how many dumps, people see
   */
  public Document<ExplainOomAnswer> document(int show) {
    EngineReport report = report();
    if (report != null) {
      return new Document<>(
          KIND,
          name,
          verdict(),
          List.of(new Section(null, EnginePart.blocks(report))),
          EnginePart.table(report.figures()),
          this);
    }
    List<Message> messages = messages();
    List<Section> sections = new ArrayList<>();
    List<String> headlines = new ArrayList<>();
    messages.stream()
        .limit(show)
        .forEach(message -> {
          headlines.add(message.headline());
          sections.add(new Section(above(headlines), blocks(message)));
        });
    sections.add(new Section(null, summary(messages, show)));
    contents.dumps().stream()
        .limit(show)
        .forEach(dump -> {
          headlines.add(headline(dump));
          sections.add(new Section(above(headlines), BfcDumpPart.blocks(name, dump)));
        });
    sections.add(
        new Section(null, List.of(Notes.of(null, more(contents.dumps().size() - show, "dump")))));
    sections.removeIf(section -> section.blocks().isEmpty());
    return new Document<>(
        KIND, name, verdict(), sections, Table.of("Messages", MESSAGE, messages), this);
  }

  /** Of the first message, or else of the first dump. */
  Verdict verdict() {
    EngineReport report = report();
    if (report != null) {
      return new Verdict(
          report.fits() ? Tone.NEUTRAL : Tone.BAD, Sentence.of(sentence(report.headline())));
    }
    String headline =
        explanations.isEmpty()
            ? headline(contents.dumps().getFirst())
            : messages().getFirst().headline();
    return new Verdict(Tone.BAD, Sentence.of(headline));
  }

  /** A clause as a sentence begins; the names of engines keep their small letters. */
  private static String sentence(String clause) {
    return clause.startsWith("vLLM") || clause.startsWith("llama.cpp")
        ? clause
        : Character.toUpperCase(clause.charAt(0)) + clause.substring(1);
  }

  private static String headline(BfcDump dump) {
    return dump.verdict().word() + ": " + BfcDumpPart.headline(dump);
  }

  /** The first headline is the verdict of the document. */
  private static @Nullable String above(List<String> headlines) {
    return headlines.size() == 1 ? null : headlines.getLast();
  }

  private static List<String> more(int count, String noun) {
    return count <= 0
        ? List.of()
        : List.of(
            count(count, "more " + noun) + " not shown: use --show N, or --json FILE for all.");
  }

  private List<Block> blocks(Message message) {
    OomExplanation why = message.why();
    List<Block> blocks = new ArrayList<>();
    blocks.add(Facts.none().and("message", "{}", FailureReport.oneLine(place(message))));
    blocks.add(Notes.of("Can help", why.helps()));
    why.account().ifPresent(account -> blocks.add(table(account)));
    blocks.add(Notes.of(null, why.equation().isEmpty() ? List.of() : List.of(why.equation())));
    blocks.add(Notes.of("Also", why.findings()));
    blocks.add(Notes.of("Cannot help", why.cannotHelp()));
    return blocks;
  }

  private String place(Message message) {
    OomLog.Found found = message.found();
    StringBuilder text = new StringBuilder(name).append(", line ").append(found.line());
    if (!found.source().isEmpty()) {
      text.append(", ").append(found.source());
    }
    if (message.message().deviceIndex() >= 0) {
      text.append(", GPU ").append(message.message().deviceIndex());
    }
    if (found.count() > 1) {
      text.append(", ").append(count(found.count(), "time"));
    }
    Wording wording = message.message().wording();
    return text + (wording == Wording.BARE ? "; " : "; wording of ") + wording.versions();
  }

  /** The account as a table that sums up to the GPU. */
  private static Table<GpuAccount.Part> table(GpuAccount account) {
    boolean isSplit = account.parts().stream().anyMatch(GpuAccount.Part::within);
    List<GpuAccount.Part> rows = new ArrayList<>(account.parts());
    rows.add(new GpuAccount.Part("= GPU", account.totalHundredths(), false, ""));
    return Table.of(
        "Where the GPU's memory goes",
        Shape.of(row ->
            row.shown(
                    Unit.TEXT,
                    "where the GPU's memory goes",
                    "Holder.",
                    each -> (each.within() ? "  " : "") + each.name())
                .shown(
                    Unit.NUMBER,
                    account.unit(),
                    "Its size.",
                    each -> each.within() ? "" : GpuAccount.text(each.hundredths()))
                .shown(
                    Unit.NUMBER,
                    "of it",
                    "Size of a subpart of the row above.",
                    each ->
                        !isSplit ? null : each.within() ? GpuAccount.text(each.hundredths()) : "")
                .optional()
                .shown(
                    Unit.TEXT,
                    "printed",
                    "Amount printed in the message.",
                    GpuAccount.Part::printed)),
        rows);
  }

  /** What all messages come to, where there are several, and what the log holds beside them. */
  private List<Block> summary(List<Message> messages, int show) {
    if (messages.isEmpty()) {
      return List.of();
    }
    List<Block> blocks = new ArrayList<>();
    if (messages.size() > 1) {
      Map<OomVerdict, Tally> tallies = new EnumMap<>(OomVerdict.class);
      for (Message message : messages) {
        OomVerdict verdict = message.why().verdict();
        tallies.merge(verdict, new Tally(verdict, 1, message.found().count()), Tally::and);
      }
      Shape<Tally> shape =
          Shape.of(row ->
              row.shown(Unit.TEXT, "verdict", "The verdict's word.", each -> each.verdict().word())
                  .shown(
                      Unit.COUNT,
                      "distinct messages",
                      "Messages with this verdict.",
                      Tally::messages)
                  .shown(Unit.COUNT, "times", "Number of occurrences.", Tally::times));
      blocks.add(Table.of("Verdicts", shape, List.copyOf(tallies.values())));
    }
    List<String> notes = new ArrayList<>(more(messages.size() - show, "distinct message"));
    if (contents.left() > 0) {
      notes.add(
          count(contents.left(), "message")
              + " skipped: "
              + count(OomLog.MAX_DISTINCT)
              + " different ones are explained, and "
              + count(OomLog.MAX_READ)
              + " texts read.");
    }
    if (contents.bare().count() > 0) {
      notes.add(
          count(contents.bare().count(), "mention")
              + " of memory that ran out, without numbers, the first in line "
              + contents.bare().firstLine()
              + ".");
    }
    if (settings.isKnown()) {
      notes.add(
          "Settings of the run, %s: %s"
              .formatted(settings.origin(), FailureReport.oneLine(settings.text())));
    }
    blocks.add(Notes.of(null, notes));
    return blocks;
  }

  private List<Message> messages() {
    return IntStream.range(0, explanations.size())
        .mapToObj(i -> new Message(contents.found().get(i), explanations.get(i)))
        .toList();
  }

  private static @Nullable String emptyToNull(String text) {
    return text.isEmpty() ? null : text;
  }

  /** The printed hundredths of a unit, to the nearest byte. */
  private static long bytes(GpuAccount account, long hundredths) {
    double unitBytes = account.unit().equals("MiB") ? 0x1p20 : 0x1p30;
    return Math.round(hundredths * unitBytes / 100);
  }
}
