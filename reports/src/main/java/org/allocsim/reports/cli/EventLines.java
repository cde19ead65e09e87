package org.allocsim.reports.cli;

import java.io.OutputStream;
import java.math.BigInteger;
import org.allocsim.reports.json.JsonText;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.trace.AllocationTrace;
import tools.jackson.core.JsonGenerator;

/**
 * Writes every effect as one line of JSON, with the names and sizes of PyTorch's memory history
 * (2.11): {@code size} is the requested size of an allocation, the rounded size of a failed one,
 * the length of a segment or of the mapped range; {@code stream} is the recorded handle. A failed
 * request has no {@code addr}.
 */
final class EventLines implements EffectListener, AutoCloseable {
  private final JsonGenerator json;
  private final AllocationTrace trace;

  EventLines(OutputStream out, AllocationTrace trace) {
    this.json = JsonText.lines(out);
    this.trace = trace;
  }

  @Override
  public void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    line(EffectKind.ALLOC, address, requestedBytes, stream);
  }

  @Override
  public void freeRequested(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    line(EffectKind.FREE_REQUESTED, address, requestedBytes, stream);
  }

  @Override
  public void freeCompleted(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    line(EffectKind.FREE_COMPLETED, address, requestedBytes, stream);
  }

  @Override
  public void segmentAllocated(long address, long bytes, int stream, boolean small) {
    line(EffectKind.SEGMENT_ALLOC, address, bytes, stream);
  }

  @Override
  public void segmentFreed(long address, long bytes, int stream, boolean small) {
    line(EffectKind.SEGMENT_FREE, address, bytes, stream);
  }

  @Override
  public void segmentMapped(long address, long bytes, int stream, boolean small) {
    line(EffectKind.SEGMENT_MAP, address, bytes, stream);
  }

  @Override
  public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    line(EffectKind.SEGMENT_UNMAP, address, bytes, stream);
  }

  @Override
  public void outOfMemory(
      int allocation,
      long requestedBytes,
      long roundedBytes,
      long segmentBytes,
      int stream,
      long limitBytes,
      long privateFreeBytes,
      long deviceFreeBytes,
      long deviceTotalBytes) {
    begin(EffectKind.OOM);
    end(roundedBytes, stream);
  }

  private void line(EffectKind kind, long address, long bytes, int stream) {
    begin(kind);
    json.writeName("addr");
    unsigned(address);
    end(bytes, stream);
  }

  private void begin(EffectKind kind) {
    json.writeStartObject();
    json.writeStringProperty("action", kind.action());
  }

  private void end(long bytes, int stream) {
    json.writeName("size");
    unsigned(bytes);
    json.writeName("stream");
    unsigned(trace.streamHandle(stream));
    json.writeEndObject();
    json.writeRaw('\n');
  }

  private void unsigned(long value) {
    if (value >= 0) {
      json.writeNumber(value);
    } else {
      json.writeNumber(new BigInteger(Long.toUnsignedString(value)));
    }
  }

  /** Hands the last lines over; the stream stays open. */
  @Override
  public void close() {
    json.close();
  }
}
