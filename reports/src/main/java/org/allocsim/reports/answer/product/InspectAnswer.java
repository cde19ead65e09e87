package org.allocsim.reports.answer.product;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.share;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.answer.part.Recorded;
import org.allocsim.reports.answer.part.RecordingMaps;
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
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * What is in a file.
 *
 * @param source the file
 * @param summary what its format is
 * @param snapshot what a recording holds; null for requests only
 * @param requests what is asked for, by device; empty for a recording
 */
public record InspectAnswer(
    TraceSource source,
    String summary,
    @Nullable SnapshotContents snapshot,
    List<TraceContents.Device> requests) {
  private static final int ANNOTATIONS_SHOWN = 10;
  private static final int STREAMS_SHOWN = 8;
  private static final int BAR_COLUMNS = 40;
  private static final String NOT_RECORDED = "the file holds only requests";
  private static final String RECORDED = "the file holds a recording";

  /** A device of a recording, or of requests; the other is null. */
  private record Device(
      SnapshotContents.@Nullable Device recorded, TraceContents.@Nullable Device requested) {}

  private static final Shape<SnapshotContents.Device> RECORDED_DEVICE =
      Shape.of(device ->
          device
              .count("index", "Index of the device.", SnapshotContents.Device::index)
              .count("history_events", "Rows of its history.", SnapshotContents.Device::history)
              .count("from_event", "First row used.", SnapshotContents.Device::from)
              .count("events", "Rows used.", SnapshotContents.Device::events)
              .named(
                  Unit.COUNT,
                  "actions",
                  "Rows by action.",
                  "Events with this action.",
                  each -> words(each.actions(), kind -> kind.action()))
              .term(Columns.EVENTS_WITH_STACK, SnapshotContents.Device::withStack)
              .named(
                  Unit.COUNT,
                  "requested_sizes_from",
                  "Allocations by requested size, in powers of two.",
                  "Allocations of at least this size and less than twice this size.",
                  InspectAnswer::sizes)
              .count("segments", "Segments at the end.", SnapshotContents.Device::segments)
              .count(
                  "expandable_segments",
                  "Expandable segments.",
                  SnapshotContents.Device::expandable)
              .named(
                  Unit.COUNT,
                  "blocks",
                  "Blocks at the end, by state.",
                  "Blocks in this state.",
                  each -> words(each.blocks(), state -> state.label()))
              .bytes(
                  "reserved_bytes",
                  "Reserved from the device at the end.",
                  SnapshotContents.Device::segmentBytes)
              .bytes(
                  "active_bytes",
                  "In active blocks at the end, including blocks still in use on another stream.",
                  SnapshotContents.Device::activeBytes)
              .texts("private_pools", "Private pools at the end.", SnapshotContents.Device::pools));

  private static final Shape<TraceContents.Device> REQUESTED_DEVICE =
      Shape.of(device ->
          device
              .term(Columns.DEVICE_NUMBER, TraceContents.Device::index)
              .named(
                  Unit.COUNT,
                  "requests",
                  "Requests by kind.",
                  "Requests of a kind.",
                  TraceContents.Device::requests)
              .count(
                  "prologue_requests",
                  "Requests that recreate allocations from before the recording.",
                  TraceContents.Device::prologue)
              .term(Columns.REQUESTED_BYTES, TraceContents.Device::requestedBytes)
              .bytes("peak_live_bytes", "Peak of live bytes.", TraceContents.Device::peakLiveBytes)
              .count(
                  "live_at_end", "Allocations live at the end.", TraceContents.Device::liveAtEnd));

  private static final Shape<Device> DEVICE =
      Shape.of(device ->
          device
              .where(
                  each -> each.recorded() != null,
                  NOT_RECORDED,
                  Shape.of(row -> row.embed(RECORDED_DEVICE, Device::recorded)))
              .where(
                  each -> each.requested() != null,
                  RECORDED,
                  Shape.of(row -> row.embed(REQUESTED_DEVICE, Device::requested)))
              .term(Columns.SPAN_NANOS, InspectAnswer::spanNanos)
              .missing("no times were recorded")
              .any(
                  "streams",
                  "Streams used: their handles, or their number if the file holds only requests.",
                  each ->
                      each.recorded() == null
                          ? Objects.requireNonNull(each.requested()).streams()
                          : each.recorded().streams()));

  private static final Shape<HistoryAccount> HISTORY =
      Shape.of(history ->
          history
              .term(Columns.DEVICE_NUMBER, HistoryAccount::device)
              .flag(
                  "complete",
                  "Whether the history begins before the first allocation.",
                  HistoryAccount::complete)
              .count(
                  "blocks_before", "Blocks older than the history.", HistoryAccount::blocksBefore)
              .bytes("before_bytes", "Their bytes.", HistoryAccount::bytesBefore)
              .count(
                  "orphan_frees",
                  "Frees without a matching allocation.",
                  HistoryAccount::orphanFrees)
              .bytes("last_live_bytes", "Live bytes after the last row.", HistoryAccount::lastBytes)
              .bytes(
                  "final_live_bytes",
                  "Live bytes in the snapshot's segments.",
                  HistoryAccount::finalBytes)
              .text(
                  "confidence",
                  "Confidence of a replay: exact, or that of the weakest inference.",
                  HistoryAccount::confidence)
              .embed(Recorded.inferences(HistoryAccount::inferences)));

  private static final Shape<InspectAnswer> RECORDING =
      Shape.of(recording ->
          recording
              .term(Columns.EVENTS, each -> each.file().eventCount())
              .embed(Recorded.settings(each -> RecordingMaps.settings(each.file())))
              .many(
                  "histories",
                  "What is known about each device's history.",
                  HISTORY,
                  each -> each.contents().accounts())
              .named(
                  Unit.COUNT,
                  "annotations",
                  "Named annotations of the program, and how often each occurs.",
                  "Occurrences of this name.",
                  each -> each.contents().annotations())
              .count(
                  "distinct_stacks",
                  "Different stacks.",
                  each -> each.file().stacks().stackCount() - 1)
              .count(
                  "distinct_frames",
                  "Different frames.",
                  each -> each.file().stacks().frameCount()));

  public static final Kind<InspectAnswer> KIND =
      new Kind<>(
          "inspect",
          "inspect --json",
          "What `allocsim inspect --json` writes: what is in a file.",
          Shape.of(answer ->
              answer
                  .term(Columns.FILE, each -> each.source().name())
                  .term(Columns.FORMAT, each -> each.source().format())
                  .term(Columns.SHA256, each -> each.source().sha256())
                  .missing("the trace is a program")
                  .where(each -> each.snapshot() != null, NOT_RECORDED, RECORDING)
                  .many("devices", "One entry for each device.", DEVICE, InspectAnswer::devices)
                  .embed(Recorded.notes(each -> each.source().notes()))));

  private static final String NOTHING =
      "The snapshot is empty: it has neither segments nor a history of events, so nothing was"
          + " allocated on a GPU when it was written.";

  public Document<InspectAnswer> document() {
    List<Section> sections = new ArrayList<>(List.of(new Section(null, List.of(facts()))));
    if (snapshot != null) {
      snapshot.devices().stream()
          .filter(device -> device.events() > 0 || device.segments() > 0)
          .forEach(device -> sections.add(new Section(title(device), blocks(snapshot, device))));
      addAnnotations(snapshot, sections);
    }
    if (snapshot != null
        && snapshot.devices().stream()
            .allMatch(device -> device.events() == 0 && device.segments() == 0)) {
      sections.add(new Section(null, List.of(Notes.of(null, List.of(NOTHING)))));
    }
    requests.forEach(device -> sections.add(new Section(title(device), blocks(device))));
    if (!source.notes().isEmpty()) {
      sections.add(new Section(null, List.of(Notes.of("notes", source.notes()))));
    }
    return new Document<>(
        KIND,
        String.valueOf(Path.of(source.name()).getFileName()),
        new Verdict(Verdict.Tone.NEUTRAL, gist()),
        sections,
        Table.of("Devices", DEVICE, devices()),
        this);
  }

  private Sentence gist() {
    if (snapshot == null) {
      long rows =
          requests.stream()
              .flatMap(device -> device.requests().values().stream())
              .mapToLong(Long::longValue)
              .sum();
      return Sentence.of(
          "The trace has {} for {}.", count(rows, "request"), count(requests.size(), "device"));
    }
    return Sentence.of(
        "The snapshot has {} of {}; {} is reserved at its end.",
        count(devicesSum(SnapshotContents.Device::events), "event"),
        count(snapshot.devices().size(), "device"),
        bytes(devicesSum(SnapshotContents.Device::segmentBytes)));
  }

  private long devicesSum(ToLongFunction<SnapshotContents.Device> figure) {
    return contents().devices().stream().mapToLong(figure).sum();
  }

  /** Settings that it was recorded with; null where they are not recorded. */
  public @Nullable String conf() {
    return snapshot != null && file().settings().present() ? file().settings().conf() : null;
  }

  /** What the file records; asked only where it is a recording. */
  private SnapshotContents contents() {
    return Objects.requireNonNull(snapshot);
  }

  private Facts facts() {
    Facts facts = Facts.none().and("file", "{}", source.name());
    if (source.sha256() != null) {
      facts = facts.and("sha256", "{}", source.sha256());
    }
    facts = facts.and("format", "{}", summary);
    if (snapshot == null) {
      return facts;
    }
    int stacks = file().stacks().stackCount() - 1;
    return facts
        .and(
            "settings",
            "{}",
            file().settings().present()
                ? "PYTORCH_CUDA_ALLOC_CONF=\"" + file().settings().conf() + "\""
                : "not recorded")
        .and(
            "stacks",
            "{}",
            stacks == 0
                ? "not recorded"
                : Sentence.of(
                    "{} different, of {} different frames",
                    count(stacks),
                    count(file().stacks().frameCount())));
  }

  private static String title(SnapshotContents.Device device) {
    return "device %d: %s%s%s"
        .formatted(
            device.index(),
            Numbers.count(device.events(), "event"),
            device.events() == device.history()
                ? ""
                : " from number %s on, of %s"
                    .formatted(Numbers.count(device.from()), Numbers.count(device.history())),
            device.spanNanos() < 0 ? "" : " in " + Numbers.seconds(device.spanNanos()));
  }

  private List<Block> blocks(SnapshotContents snapshot, SnapshotContents.Device device) {
    List<Block> blocks = new ArrayList<>();
    if (device.events() > 0) {
      Map<String, Long> actions = words(device.actions(), kind -> kind.action());
      blocks.add(counts("action", "events", actions));
    }
    List<Sentence> facts = new ArrayList<>();
    if (device.withStack() > 0) {
      facts.add(Sentence.of("{} have a stack", share(device.withStack(), device.events())));
    }
    if (!device.streams().isEmpty()) {
      facts.add(streams(device.streams()));
    }
    facts.add(
        Sentence.of(
            "at the end: {}{} of {}, {} active; blocks: {}",
            count(device.segments(), "segment"),
            device.expandable() == 0
                ? ""
                : Sentence.of(" ({} expandable)", count(device.expandable())),
            bytes(device.segmentBytes()),
            bytes(device.activeBytes()),
            device.blocks().isEmpty()
                ? "none"
                : device.blocks().entrySet().stream()
                    .map(each -> Numbers.count(each.getValue()) + " " + each.getKey().label())
                    .collect(Collectors.joining(", "))));
    if (!device.pools().isEmpty()) {
      facts.add(Sentence.of("private pools at the end: {}", String.join(" ", device.pools())));
    }
    snapshot.accounts().stream()
        .filter(account -> account.device() == device.index())
        .flatMap(account -> account.lines().stream())
        .forEach(line -> facts.add(Sentence.of(line)));
    blocks.add(new Notes(null, facts));
    Map<String, Long> sizes = sizes(device);
    if (!sizes.isEmpty()) {
      long highest = sizes.values().stream().mapToLong(Long::longValue).max().orElse(1);
      Shape<Map.Entry<String, Long>> shape =
          Shape.of(row ->
              row.shown(
                      Unit.NUMBER,
                      "requested from",
                      "Smallest size.",
                      each ->
                          ByteFormat.human(Long.parseUnsignedLong(each.getKey()))
                              .replace(".00", ""))
                  .shown(Unit.COUNT, "allocations", "Their number.", Map.Entry::getValue)
                  .shown(
                      Unit.TEXT, "", "The same as a bar.", each -> bar(each.getValue(), highest)));
      blocks.add(Table.of("Allocations by requested size", shape, List.copyOf(sizes.entrySet())));
    }
    return blocks;
  }

  private static String bar(long count, long highest) {
    return "#"
        .repeat(Math.clamp(Math.round((double) count / highest * BAR_COLUMNS), 1, BAR_COLUMNS));
  }

  private static Sentence streams(List<String> streams) {
    return Sentence.of(
        "streams: {} ({}{})",
        count(streams.size()),
        streams.stream().limit(STREAMS_SHOWN).collect(Collectors.joining(", ")),
        streams.size() > STREAMS_SHOWN ? ", ..." : "");
  }

  private void addAnnotations(SnapshotContents snapshot, List<Section> sections) {
    Map<String, Long> annotations = snapshot.annotations();
    if (!annotations.isEmpty()) {
      Table<?> table =
          counts("name", "times", annotations)
              .first(ANNOTATIONS_SHOWN, new Table.More("name", "--json FILE has all"));
      sections.add(new Section("annotations", List.of(table)));
    }
  }

  private static String title(TraceContents.Device device) {
    long rows = device.requests().values().stream().mapToLong(Long::longValue).sum();
    return "device %d: %s%s"
        .formatted(
            device.index(),
            Numbers.count(rows, "request"),
            device.spanNanos() > 0 ? " in " + Numbers.seconds(device.spanNanos()) : "");
  }

  private static List<Block> blocks(TraceContents.Device device) {
    Sentence sentence =
        Sentence.of(
            "{} requested on {}, at most {} at once; {} live at the end{}",
            bytes(device.requestedBytes()),
            count(device.streams(), "stream"),
            bytes(device.peakLiveBytes()),
            count(device.liveAtEnd(), "allocation"),
            device.prologue() == 0
                ? ""
                : Sentence.of(
                    "; the first {} recreate allocations from before the recording",
                    count(device.prologue(), "request")));
    return List.of(
        counts("request", "times", device.requests()), new Notes(null, List.of(sentence)));
  }

  private static Table<Map.Entry<String, Long>> counts(
      String name, String number, Map<String, Long> counts) {
    return Table.of(
        name,
        Shape.of(row ->
            row.shown(Unit.TEXT, name, "Quantity.", Map.Entry::getKey)
                .shown(Unit.COUNT, number, "How often.", Map.Entry::getValue)),
        List.copyOf(counts.entrySet()));
  }

  private List<Device> devices() {
    return snapshot == null
        ? requests.stream().map(each -> new Device(null, each)).toList()
        : snapshot.devices().stream().map(each -> new Device(each, null)).toList();
  }

  private Snapshot file() {
    return source.snapshot().orElseThrow();
  }

  private static @Nullable Long spanNanos(Device device) {
    long nanos =
        device.recorded() == null
            ? Objects.requireNonNull(device.requested()).spanNanos()
            : device.recorded().spanNanos();
    return nanos < 0 ? null : nanos;
  }

  /** Allocations by the power of two at or below their size; sizes without any are not there. */
  private static Map<String, Long> sizes(SnapshotContents.Device device) {
    return IntStream.range(0, device.sizes().length)
        .boxed()
        .filter(power -> device.sizes()[power] > 0)
        .collect(
            Collectors.toMap(
                power -> Long.toUnsignedString(1L << power),
                power -> device.sizes()[power],
                (one, _) -> one,
                LinkedHashMap::new));
  }

  private static <K> Map<String, Long> words(Map<K, Long> counts, Function<K, String> word) {
    Map<String, Long> words = new LinkedHashMap<>();
    counts.forEach((kind, count) -> words.put(word.apply(kind), count));
    return words;
  }
}
