package org.allocsim.workloads.format.jsonl;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.format.pytorch.RecordedWriter;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.json.JsonFactory;

/** Writes the format. */
final class JsonLinesWriter implements RecordedWriter {
  private static final JsonFactory FACTORY = new JsonFactory();

  @Override
  public List<String> losses(AllocationTrace trace, int device) {
    return List.of();
  }

  @Override
  public void write(AllocationTrace trace, int device, OutputStream out) throws IOException {
    try (JsonGenerator json = generator(new BufferedOutputStream(out, 1 << 16))) {
      Run run = new Run(trace, device, json);
      run.begin(JsonLinesFormat.VERSION);
      run.requests();
    }
  }

  @Override
  public void write(AllocationTrace trace, int device, Snapshot recording, OutputStream out)
      throws IOException {
    CRC32 checksum = new CRC32();
    try (JsonGenerator json =
        generator(new CheckedOutputStream(new BufferedOutputStream(out, 1 << 16), checksum))) {
      Run run = new Run(trace, device, json);
      run.begin(JsonLinesFormat.RECORDED_VERSION);
      run.allStacks();
      new RecordingLinesWriter(recording, json).write(device);
      json.flush();
      checksum.reset();
      run.requests();
      json.flush();
      run.endMark(checksum.getValue());
    }
  }

  private static JsonGenerator generator(OutputStream out) {
    return FACTORY.createGenerator(new Lines(), new Unclosed(out));
  }

  private static final class Run {
    private final AllocationTrace trace;
    private final int device;
    private final JsonGenerator json;
    private final boolean[] stackWritten;
    private long timeNanos;
    private int deviceWritten;

    Run(AllocationTrace trace, int device, JsonGenerator json) {
      this.trace = trace;
      this.device = device;
      this.json = json;
      stackWritten = new boolean[trace.stacks().stackCount()];
      stackWritten[StackTable.NONE] = true;
    }

    void begin(int version) {
      json.writeStartObject();
      json.writeStringProperty("allocsim", "trace");
      json.writeNumberProperty("version", version);
      if (trace.isOfPyTorch()) {
        json.writeBooleanProperty(JsonLinesFormat.PYTORCH, true);
      }
      if (trace.refusedBytes() >= 0) {
        json.writeNumberProperty(JsonLinesFormat.REFUSED, trace.refusedBytes());
      }
      end();
      for (int stream = 0; stream < trace.streamCount(); stream++) {
        begin("stream");
        stream("stream", stream);
        end();
      }
    }

    void allStacks() {
      for (int stack = 0; stack < stackWritten.length; stack++) {
        stack(stack);
      }
    }

    void endMark(long checksum) {
      begin(JsonLinesFormat.END_MARK);
      json.writeNumberProperty("crc32", checksum);
      end();
    }

    void requests() {
      for (int pool = 1; pool < trace.poolCount(); pool++) {
        begin("pool");
        pool(pool);
        flagIfTrue(JsonLinesReader.USE_ON_OOM, trace.poolOptions(pool).useOnOom());
        flagIfTrue(JsonLinesReader.NO_SPLIT, trace.poolOptions(pool).noSplit());
        end();
      }
      for (int loader = 0; loader < trace.loaderCount(); loader++) {
        loader(trace.loader(loader));
      }
      for (int event = 0; event < trace.eventCount(); event++) {
        if (event == trace.prologueCount() && event > 0) {
          begin("prologue_end");
          end();
        }
        if (device == JsonLinesFormat.ALL_DEVICES || trace.device(event) == device) {
          row(event);
        }
      }
      if (trace.prologueCount() == trace.eventCount() && trace.eventCount() > 0) {
        begin("prologue_end");
        end();
      }
    }

    private void flagIfTrue(String name, boolean value) {
      if (value) {
        json.writeBooleanProperty(name, true);
      }
    }

    private void begin(String op) {
      json.writeStartObject();
      json.writeStringProperty("op", op);
    }

    private void end() {
      json.writeEndObject();
      json.writeRaw('\n');
    }

    private void stream(String name, int stream) {
      long handle = trace.streamHandle(stream);
      if (handle >= 0) {
        json.writeNumberProperty(name, handle);
      } else {
        json.writeStringProperty(name, "0x" + Long.toHexString(handle));
      }
    }

    private void pool(int pool) {
      PoolId id = trace.poolId(pool);
      json.writeArrayPropertyStart("pool");
      json.writeNumber(id.capture());
      json.writeNumber(id.user());
      json.writeEndArray();
    }

    private void loader(Loader loader) {
      begin("loader");
      json.writeNumberProperty("workers", loader.workers());
      json.writeNumberProperty("prefetch", loader.prefetch());
      json.writeNumberProperty("batch_ns", loader.batchNanos());
      json.writeNumberProperty("spread_ns", loader.spreadNanos());
      json.writeNumberProperty("seed", loader.seed());
      end();
    }

    private void stack(int stack) {
      if (stackWritten[stack]) {
        return;
      }
      stackWritten[stack] = true;
      begin("stack");
      json.writeNumberProperty("stack", stack);
      json.writeArrayPropertyStart("frames");
      for (int depth = 0; depth < trace.stacks().depth(stack); depth++) {
        StackTable.Frame frame = trace.stacks().frame(stack, depth);
        json.writeStartArray();
        json.writeString(frame.file());
        json.writeNumber(frame.line());
        json.writeString(frame.function());
        json.writeEndArray();
      }
      json.writeEndArray();
      end();
    }

    private void row(int event) {
      stack(trace.stack(event));
      RequestKind kind = trace.kind(event);
      begin(op(kind));
      switch (kind) {
        case ALLOCATE -> {
          id(event);
          json.writeNumberProperty("bytes", trace.bytes(event));
          if (trace.streamHandle(trace.stream(event)) != 0) {
            stream("stream", trace.stream(event));
          }
          poolOf(event);
        }
        case RESTORE_BLOCK -> {
          id(event);
          json.writeNumberProperty("bytes", trace.bytes(event));
          stream("stream", trace.stream(event));
          poolOf(event);
          if (trace.anchor(event) != AllocationTrace.NO_ALLOCATION) {
            json.writeNumberProperty("anchor", trace.anchor(event));
          }
          json.writeNumberProperty("offset", trace.anchorOffsetBytes(event));
        }
        case FREE, USE_COMPLETE -> {
          id(event);
          streamIfKnown(event);
        }
        case USE_STREAM -> {
          id(event);
          streamIfKnown(event);
          json.writeNumberProperty("rank", trace.completionRank(event));
        }
        case SYNCHRONIZE_STREAM -> stream("stream", trace.stream(event));
        case RELEASE_POOL, EMPTY_POOL -> pool(trace.pool(event));
        case MARKER_BEGIN, MARKER_END ->
            json.writeStringProperty("name", trace.markerNameOf(event));
        case CHANGE_SETTINGS -> json.writeStringProperty("settings", trace.settings(event));
        case CHANGE_LIMIT -> {
          if (trace.bytes(event) >= 0) {
            json.writeNumberProperty("bytes", trace.bytes(event));
          }
        }
        case LAUNCH -> launch(event);
        case RECORD_EVENT, WAIT_EVENT -> {
          json.writeNumberProperty("event", trace.gpuEvent(event));
          stream("stream", trace.stream(event));
        }
        case SYNCHRONIZE_EVENT -> json.writeNumberProperty("event", trace.gpuEvent(event));
        case HOST_WORK -> json.writeNumberProperty("ns", trace.hostNanos(event));
        case LOAD_BATCH -> json.writeNumberProperty("loader", trace.loaderNumber(event));
        case HOST_ALLOCATE -> {
          id(event);
          json.writeNumberProperty("bytes", trace.bytes(event));
        }
        case HOST_FREE -> id(event);
        case HOST_USE_STREAM -> {
          id(event);
          stream("stream", trace.stream(event));
        }
        case SYNCHRONIZE, EMPTY_CACHE, SNAPSHOT -> {}
      }
      if (trace.timeNanos(event) != timeNanos) {
        timeNanos = trace.timeNanos(event);
        json.writeNumberProperty("time_ns", timeNanos);
      }
      if (trace.device(event) != deviceWritten) {
        deviceWritten = trace.device(event);
        json.writeNumberProperty("device", deviceWritten);
      }
      if (trace.stack(event) != StackTable.NONE) {
        json.writeNumberProperty("stack", trace.stack(event));
      }
      end();
    }

    private void launch(int event) {
      switch (trace.workOf(event)) {
        case Work.Kernel kernel -> {
          json.writeNumberProperty("flops", kernel.flops());
          json.writeNumberProperty("memory_bytes", kernel.memoryBytes());
          json.writeStringProperty("precision", kernel.precision().name().toLowerCase(Locale.ROOT));
        }
        case Work.Timed timed -> json.writeNumberProperty("ns", timed.nanos());
        case Work.Collective collective -> {
          json.writeStringProperty(
              "collective", collective.pattern().name().toLowerCase(Locale.ROOT));
          json.writeNumberProperty("bytes", collective.bytes());
          json.writeNumberProperty("ranks", collective.ranks());
          if (collective.peer() != Work.Collective.EVERYONE) {
            json.writeNumberProperty("peer", collective.peer());
          }
        }
        case Work.Copy copy -> {
          json.writeNumberProperty("copy_bytes", copy.bytes());
          json.writeStringProperty("to", copy.toDevice() ? "device" : "host");
          json.writeStringProperty("host_memory", copy.pinned() ? "pinned" : "pageable");
        }
      }
      stream("stream", trace.stream(event));
    }

    private void id(int event) {
      json.writeNumberProperty("id", trace.allocation(event));
    }

    private void poolOf(int event) {
      if (trace.pool(event) != 0) {
        pool(trace.pool(event));
      }
    }

    private void streamIfKnown(int event) {
      if (trace.stream(event) >= 0) {
        stream("stream", trace.stream(event));
      }
    }

    private static String op(RequestKind kind) {
      return switch (kind) {
        case ALLOCATE -> "alloc";
        case FREE -> "free";
        case USE_STREAM -> "use_stream";
        case USE_COMPLETE -> "use_complete";
        case SYNCHRONIZE, SYNCHRONIZE_STREAM -> "synchronize";
        case EMPTY_CACHE -> "empty_cache";
        case RELEASE_POOL -> "release_pool";
        case EMPTY_POOL -> "empty_pool";
        case RESTORE_BLOCK -> "restore_block";
        case MARKER_BEGIN -> "begin";
        case MARKER_END -> "end";
        case SNAPSHOT -> "snapshot";
        case CHANGE_SETTINGS -> "change_settings";
        case CHANGE_LIMIT -> "change_limit";
        case LAUNCH -> "launch";
        case RECORD_EVENT -> "record_event";
        case WAIT_EVENT -> "wait_event";
        case SYNCHRONIZE_EVENT -> "synchronize_event";
        case HOST_WORK -> "host_work";
        case LOAD_BATCH -> "load_batch";
        case HOST_ALLOCATE -> "host_alloc";
        case HOST_FREE -> "host_free";
        case HOST_USE_STREAM -> "host_use_stream";
      };
    }
  }

  /** Values follow each other with nothing between but the line ends that are written. */
  private static final class Lines extends ObjectWriteContext.Base {
    @Override
    public @Nullable SerializableString getRootValueSeparator(SerializableString usual) {
      return null;
    }
  }

  private static final class Unclosed extends FilterOutputStream {
    Unclosed(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
