package org.allocsim.workloads.format.jsonl;

import java.util.Optional;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;
import tools.jackson.core.JsonGenerator;

/** Writes the lines of a recording, which {@link RecordingLines} reads. */
final class RecordingLinesWriter {
  private static final int FACTS_PART_CHARS = 1 << 18;

  private final Snapshot snapshot;
  private final JsonGenerator json;

  RecordingLinesWriter(Snapshot snapshot, JsonGenerator json) {
    this.snapshot = snapshot;
    this.json = json;
  }

  /**
   * Writes all lines.
   *
   * @param device the device that was chosen
   */
  void write(int device) {
    begin(RecordingLines.BEGIN);
    json.writeNumberProperty("device", device);
    json.writeArrayPropertyStart("streams");
    for (long handle : snapshot.streamHandles()) {
      json.writeNumber(handle);
    }
    json.writeEndArray();
    end();
    settings(snapshot.settings());
    for (String note : snapshot.notes()) {
      begin("note");
      json.writeStringProperty("text", note);
      end();
    }
    snapshot.facts().ifPresent(facts -> facts(facts.text()));
    snapshot.annotations().forEach(this::annotation);
    for (DeviceHistory history : snapshot.devices()) {
      history(history);
    }
    snapshot.segments().forEach(this::segment);
    begin(RecordingLines.END);
    end();
  }

  private void begin(String op) {
    json.writeStartObject();
    json.writeStringProperty("op", op);
  }

  private void end() {
    json.writeEndObject();
    json.writeRaw('\n');
  }

  private void endRow() {
    json.writeEndArray();
    json.writeRaw('\n');
  }

  private void pool(PoolId pool) {
    json.writeNumber(pool.capture());
    json.writeNumber(pool.user());
  }

  private void settings(SnapshotSettings settings) {
    begin("settings");
    json.writeBooleanProperty("present", settings.present());
    json.writeStringProperty("conf", settings.conf());
    json.writeNumberProperty("max_split_size", settings.maxSplitBytes());
    json.writeNumberProperty("garbage_collection_threshold", settings.garbageCollectionThreshold());
    json.writeBooleanProperty("expandable_segments", settings.expandableSegments());
    json.writeArrayPropertyStart("roundup_power2_divisions");
    for (int slot = 0; slot < RoundupDivisions.SLOTS; slot++) {
      json.writeNumber(settings.roundupDivisions().slot(slot));
    }
    json.writeEndArray();
    json.writeNumberProperty("pinned_num_register_threads", settings.pinnedNumRegisterThreads());
    json.writeBooleanProperty("release_lock_on_cudamalloc", settings.releaseLockOnCudamalloc());
    json.writeBooleanProperty(
        "pinned_use_cuda_host_register", settings.pinnedUseCudaHostRegister());
    json.writeBooleanProperty(
        "graph_capture_record_stream_reuse", settings.graphCaptureRecordStreamReuse());
    json.writeNumberProperty("trace_max_entries", settings.traceMaxEntries());
    flag("trace_overflowed", settings.traceOverflowed());
    if (settings.release() != null) {
      json.writeStringProperty("torch_version", settings.release().id());
    }
    end();
  }

  /** In parts, as readers bound the length of a line. */
  private void facts(String text) {
    for (int from = 0; from < text.length(); from += FACTS_PART_CHARS) {
      begin(RecordingLines.FACTS);
      json.writeStringProperty(
          "text", text.substring(from, Math.min(from + FACTS_PART_CHARS, text.length())));
      end();
    }
  }

  private void flag(String name, Optional<Boolean> value) {
    value.ifPresent(known -> json.writeBooleanProperty(name, known));
  }

  private void annotation(Annotation annotation) {
    begin("annotation");
    json.writeStringProperty("name", annotation.name());
    json.writeBooleanProperty("begin", annotation.begin());
    json.writeNumberProperty("device", annotation.device());
    json.writeNumberProperty("time_ns", annotation.timeNanos());
    end();
  }

  private void history(DeviceHistory history) {
    int rows = history.effects().count();
    begin("history");
    json.writeNumberProperty("rows", rows);
    json.writeBooleanProperty("times", history.hasTimes());
    flag("overflowed", history.overflowed());
    end();
    long timeNanos = 0;
    for (int row = 0; row < rows; row++) {
      json.writeStartArray();
      json.writeString(history.effects().kind(row).action());
      json.writeNumber(history.effects().address(row));
      json.writeNumber(history.effects().bytes(row));
      json.writeNumber(history.effects().stream(row));
      json.writeNumber(history.timeNanos(row) - timeNanos);
      json.writeNumber(history.stack(row));
      PoolId pool = history.poolId(row);
      if (pool != null) {
        pool(pool);
      }
      timeNanos = history.timeNanos(row);
      endRow();
    }
  }

  private void segment(SnapshotSegment segment) {
    begin("segment");
    json.writeNumberProperty("device", segment.device());
    json.writeNumberProperty("address", segment.address());
    json.writeNumberProperty("bytes", segment.totalBytes());
    json.writeNumberProperty("allocated_bytes", segment.allocatedBytes());
    json.writeNumberProperty("active_bytes", segment.activeBytes());
    json.writeNumberProperty("requested_bytes", segment.requestedBytes());
    json.writeNumberProperty("stream", segment.stream());
    json.writeBooleanProperty("small", segment.small());
    json.writeArrayPropertyStart("pool");
    pool(segment.pool());
    json.writeEndArray();
    json.writeBooleanProperty("expandable", segment.expandable());
    json.writeNumberProperty("stack", segment.stack());
    json.writeNumberProperty("blocks", segment.blockCount());
    end();
    for (int block = 0; block < segment.blockCount(); block++) {
      json.writeStartArray();
      json.writeString(segment.blockState(block).label());
      json.writeNumber(segment.blockAddress(block));
      json.writeNumber(segment.blockBytes(block));
      json.writeNumber(segment.blockRequestedBytes(block));
      json.writeNumber(segment.blockStack(block));
      endRow();
    }
  }
}
