package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.ListContent.Problem;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFactsReader;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;
import org.allocsim.workloads.format.pytorch.pickle.Notes;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.jspecify.annotations.Nullable;

/** Puts the parts of a snapshot together, and is where a part that matters must be right. */
final class SnapshotAssembler {
  private static final String NOT_A_SNAPSHOT =
      "give a file written by torch.cuda.memory._dump_snapshot()";

  private final PickleInput in;
  private final Fields fields;
  private final TextPool texts;
  private final StreamNumbers streams;
  private final PoolNumbers pools;
  private final List<EventColumns> histories = new ArrayList<>();
  private ListContent.Segments segments = new ListContent.Segments();
  private List<Annotation> annotations = List.of();
  private SnapshotSettings settings = SnapshotSettings.ABSENT;
  private ListContent.@Nullable Flags overflowFlags;
  private Optional<Boolean> overflow = Optional.empty();
  private long traceMaxEntries = -1;
  private boolean knowsStreamReuse;
  private boolean knowsPinnedLimits;
  private boolean hasHostMemory;
  private boolean hasAnnotations;
  private @Nullable RecordedFacts facts;
  private final List<String> lines = new ArrayList<>();

  SnapshotAssembler(
      PickleInput in, Fields fields, TextPool texts, StreamNumbers streams, PoolNumbers pools) {
    this.in = in;
    this.fields = fields;
    this.texts = texts;
    this.streams = streams;
    this.pools = pools;
  }

  /** Makes settings from their open dict. */
  SnapshotSettings settings(int dict, @Nullable Object divisions) {
    Fields f = fields.of(dict);
    int conf = f.text(Vocabulary.CONF);
    SnapshotSettings made =
        new SnapshotSettings(
            true,
            conf < 0 ? "" : texts.text(conf),
            f.number(Vocabulary.MAX_SPLIT_SIZE, -1),
            f.real(Vocabulary.GARBAGE_COLLECTION_THRESHOLD, 0),
            f.flag(Vocabulary.EXPANDABLE_SEGMENTS, false),
            divisions instanceof RoundupDivisions known ? known : RoundupDivisions.NONE,
            f.number(Vocabulary.PINNED_NUM_REGISTER_THREADS, 1),
            f.flag(Vocabulary.RELEASE_LOCK_ON_CUDAMALLOC, false),
            f.flag(Vocabulary.PINNED_USE_CUDA_HOST_REGISTER, false),
            f.flag(Vocabulary.GRAPH_CAPTURE_RECORD_STREAM_REUSE, false),
            f.number(Vocabulary.TRACE_ALLOC_MAX_ENTRIES, -1),
            f.has(Vocabulary.TRACE_ALLOC_OVERFLOWED)
                ? Optional.of(f.flag(Vocabulary.TRACE_ALLOC_OVERFLOWED, false))
                : Optional.empty(),
            null);
    knowsStreamReuse = f.has(Vocabulary.GRAPH_CAPTURE_RECORD_STREAM_REUSE);
    knowsPinnedLimits = f.has(Vocabulary.MAX_ROUND_THRESHOLD);
    if (f.bad() != null) {
      lines.add("allocator_settings: " + f.bad());
    }
    return made;
  }

  /** Makes the 16 divisions from their open dict. */
  RoundupDivisions divisions(int dict) {
    Fields f = fields.of(dict);
    long[] divisions = new long[RoundupDivisions.SLOTS];
    for (int slot = 0; slot < divisions.length; slot++) {
      divisions[slot] = f.number(Vocabulary.DIVISIONS_1 + slot, 0);
    }
    if (f.bad() != null) {
      lines.add("roundup_power2_divisions: " + f.bad());
    }
    return RoundupDivisions.of(divisions);
  }

  /** Takes the parts of a whole snapshot from its open dict. */
  void top(int dict, IntFunction<Object> contents) throws TraceFormatException {
    Fields f = fields.of(dict);
    if (!f.has(Vocabulary.SEGMENTS) && !f.has(Vocabulary.DEVICE_TRACES)) {
      throw in.failureAt(
          "", "it has neither segments nor device_traces, so it is not a snapshot", NOT_A_SNAPSHOT);
    }
    if (f.has(Vocabulary.SEGMENTS) && !isEmptyList(f, Vocabulary.SEGMENTS)) {
      takeSegments(contents.apply(Vocabulary.SEGMENTS));
    }
    if (f.has(Vocabulary.DEVICE_TRACES) && !isEmptyList(f, Vocabulary.DEVICE_TRACES)) {
      takeHistories(contents.apply(Vocabulary.DEVICE_TRACES));
    }
    hasAnnotations = f.has(Vocabulary.EXTERNAL_ANNOTATIONS);
    hasHostMemory = f.has(Vocabulary.HOST_SEGMENTS);
    if (hasAnnotations && !isEmptyList(f, Vocabulary.EXTERNAL_ANNOTATIONS)) {
      takeAnnotations(contents.apply(Vocabulary.EXTERNAL_ANNOTATIONS));
    }
    if (contents.apply(Vocabulary.ALLOCATOR_SETTINGS) instanceof SnapshotSettings known) {
      settings = known;
    } else if (f.has(Vocabulary.ALLOCATOR_SETTINGS)) {
      lines.add("allocator_settings is not a dict and was ignored");
    }
    noteHost(f, contents, Vocabulary.HOST_SEGMENTS);
    noteHost(f, contents, Vocabulary.HOST_TRACES);
    traceMaxEntries =
        f.type(Vocabulary.TRACE_ALLOC_MAX_ENTRIES) == Value.INT
            ? f.raw(Vocabulary.TRACE_ALLOC_MAX_ENTRIES)
            : -1;
    takeFacts(f);
    byte overflowType = f.type(Vocabulary.TRACE_ALLOC_OVERFLOWED);
    if (contents.apply(Vocabulary.TRACE_ALLOC_OVERFLOWED) instanceof ListContent.Flags flags) {
      overflowFlags = flags;
    } else if (overflowType == Value.BOOL) {
      overflow = Optional.of(f.raw(Vocabulary.TRACE_ALLOC_OVERFLOWED) != 0);
    } else if (overflowType != Value.MARK) {
      lines.add("trace_alloc_overflowed has an unknown form and was ignored");
    }
  }

  private void takeFacts(Fields f) {
    if (!f.has(Vocabulary.ALLOCSIM_RECORD)) {
      return;
    }
    try {
      int text = f.text(Vocabulary.ALLOCSIM_RECORD);
      facts = RecordedFactsReader.read(text < 0 ? "" : texts.text(text), Snapshot.MAX_DEVICES);
      if (facts.lostCalls() > 0) {
        lines.add("allocsim_record lost its oldest " + facts.lostCalls() + " calls");
      }
    } catch (IllegalArgumentException e) {
      lines.add("allocsim_record ignored: " + e.getMessage());
    }
  }

  private static boolean isEmptyList(Fields f, int field) {
    return f.type(field) == Value.STACK && f.raw(field) == StackTable.NONE;
  }

  private void noteHost(Fields f, IntFunction<Object> contents, int field) {
    if (!f.has(field)) {
      return;
    }
    Object content = contents.apply(field);
    String what = Vocabulary.key(field) + " of pinned host memory ignored";
    if (content instanceof ListContent.Segments host) {
      lines.add(what + " (" + host.segments.size() + " read)");
    } else if (content instanceof ListContent.Events events) {
      lines.add(what + " (" + events.columns.entries() + " entries)");
    } else if (content instanceof ListContent.Lists lists) {
      long entries = 0;
      for (ListContent list : lists.lists) {
        entries += list instanceof ListContent.Events events ? events.columns.entries() : 0;
      }
      lines.add(what + " (" + entries + " entries)");
    } else if (!isEmptyList(f, field)) {
      lines.add(what);
    }
  }

  /** Takes the list of segments that {@code torch.cuda.memory_snapshot()} returns. */
  void topList(@Nullable Object content, byte type, long value) throws TraceFormatException {
    if (content instanceof ListContent.Segments) {
      takeSegments(content);
    } else if (type != Value.STACK || value != StackTable.NONE) {
      throw in.failureAt(
          "", "the pickle holds " + Value.describe(type) + ", not a snapshot", NOT_A_SNAPSHOT);
    }
  }

  private void takeSegments(Object content) throws TraceFormatException {
    if (!(content instanceof ListContent.Segments list)) {
      throw in.failureAt("segments", "not a list of segments", NOT_A_SNAPSHOT);
    }
    check(list.problem, "");
    segments = list;
  }

  private void takeAnnotations(Object content) throws TraceFormatException {
    if (!(content instanceof ListContent.Annotations list)) {
      throw in.failureAt("external_annotations", "not a list of annotations", NOT_A_SNAPSHOT);
    }
    check(list.problem, "");
    annotations = list.annotations;
  }

  private void takeHistories(Object content) throws TraceFormatException {
    if (!(content instanceof ListContent.Lists lists)) {
      throw in.failureAt("device_traces", "not a list of histories", NOT_A_SNAPSHOT);
    }
    if (lists.count > Snapshot.MAX_DEVICES) {
      throw in.failureAt(
          "device_traces",
          lists.count + " devices are more than " + Snapshot.MAX_DEVICES,
          NOT_A_SNAPSHOT);
    }
    Set<EventColumns> seen = new HashSet<>();
    for (int device = 0; device < lists.count; device++) {
      ListContent list = lists.lists.get(device);
      if (list == null) {
        histories.add(null);
      } else if (list instanceof ListContent.Events events && seen.add(events.columns)) {
        check(events.columns.problem(), "device " + device + ", ");
        histories.add(events.columns);
      } else {
        throw in.failureAt(
            "device_traces, device " + device,
            list instanceof ListContent.Events
                ? "the history of another device is repeated"
                : "not a list of history entries",
            NOT_A_SNAPSHOT);
      }
    }
  }

  private void check(@Nullable Problem problem, String where) throws TraceFormatException {
    if (problem != null) {
      throw in.failureAt(where + problem.place(), problem.cause(), problem.remedy());
    }
  }

  /** The finished snapshot; this object is then empty. */
  Snapshot build(String fileName, String sha256, StackTable stacks, Notes notes) {
    lines.forEach(notes::add);
    notes.add("%s with blocks that do not add up to its sums", segments.odd, "segment", "segments");
    notes.add("%s without a requested size", segments.sizesUnknown, "block", "blocks");
    int devices = histories.size();
    boolean[] used = new boolean[streams.count()];
    for (SnapshotSegment segment : segments.segments) {
      devices = Math.max(devices, segment.device() + 1);
      used[segment.stream()] = true;
    }
    for (EventColumns history : histories) {
      if (history != null) {
        history.markStreams(used);
      }
    }
    long[] handles = streams.sortedHandles(used);
    short[] finalNumbers = streams.finalNumbers(handles);
    for (SnapshotSegment segment : segments.segments) {
      segment.renumberStream(finalNumbers);
    }
    PyTorchVersion release = release();
    List<DeviceHistory> finished = new ArrayList<>();
    for (int device = 0; device < devices; device++) {
      EventColumns history = device < histories.size() ? histories.set(device, null) : null;
      if (history == null) {
        history = new EventColumns(fields, texts, streams, new HeldBytes());
      }
      history.note(device, notes);
      finished.add(history.finish(pools, finalNumbers, overflowed(device)));
    }
    return new Snapshot(
        fileName,
        sha256,
        List.copyOf(finished),
        List.copyOf(segments.segments),
        settings.with(traceMaxEntries, release),
        List.copyOf(annotations),
        stacks,
        handles,
        notes.lines(),
        facts);
  }

  /**
   * The release that was recorded, else the one that the form of the file shows, by the first that
   * wrote each field (snapshots of PyTorch 2.0 to 2.14): times 2.2, settings 2.3, annotations 2.5,
   * contexts of compilation 2.8, the setting for captures 2.9, metadata 2.10, pools of entries
   * 2.12, limits of pinned memory 2.13, pinned memory itself 2.14. Files of 2.10 and 2.11 look
   * alike; the two decide alike, and 2.11 knows one setting more.
   */
  private @Nullable PyTorchVersion release() {
    if (facts != null && facts.release() != null) {
      return facts.release();
    }
    List<EventColumns> known =
        histories.stream().filter(each -> each != null && each.entries() > 0).toList();
    if (known.isEmpty()) {
      return null;
    }
    if (known.stream().anyMatch(EventColumns::hasPools)) {
      if (hasHostMemory) {
        return PyTorchVersion.V2_14;
      }
      return knowsPinnedLimits ? PyTorchVersion.V2_13 : PyTorchVersion.V2_12;
    }
    if (known.stream().anyMatch(EventColumns::hasMetadata)) {
      return PyTorchVersion.V2_11;
    }
    if (knowsStreamReuse) {
      return PyTorchVersion.V2_9;
    }
    if (known.stream().anyMatch(EventColumns::hasContexts)) {
      return PyTorchVersion.V2_8;
    }
    if (hasAnnotations) {
      return PyTorchVersion.V2_5;
    }
    if (settings.present()) {
      return PyTorchVersion.V2_3;
    }
    if (known.stream().anyMatch(EventColumns::hasTimes)) {
      return PyTorchVersion.V2_2;
    }
    return segments.hasBlockHistories ? PyTorchVersion.V2_0 : PyTorchVersion.V2_1;
  }

  private Optional<Boolean> overflowed(int device) {
    if (overflowFlags != null) {
      return device < overflowFlags.count
          ? Optional.of(overflowFlags.flags[device])
          : Optional.empty();
    }
    return overflow.isPresent() ? overflow : settings.traceOverflowed();
  }
}
