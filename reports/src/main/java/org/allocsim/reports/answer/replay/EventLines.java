package org.allocsim.reports.answer.replay;

import java.io.OutputStream;
import java.math.BigInteger;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.trace.AllocationTrace;
import tools.jackson.core.JsonGenerator;

/**
 * Writes every effect as one line of JSON, with the names and sizes of PyTorch's memory history
 * (2.11). {@code stream} is the recorded handle. A failed request has no {@code addr}; snapshots
 * that the program took have no line, as they are no effect of the allocator.
 */
public final class EventLines extends EffectRows implements AutoCloseable {
  private final JsonGenerator json;
  private final AllocationTrace trace;

  public EventLines(OutputStream out, AllocationTrace trace) {
    this.json = JsonText.lines(out);
    this.trace = trace;
  }

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    if (kind == EffectKind.SNAPSHOT) {
      return;
    }
    json.writeStartObject();
    json.writeStringProperty("action", kind.action());
    if (kind != EffectKind.OOM) {
      writeUnsigned("addr", address);
    }
    writeUnsigned("size", bytes);
    writeUnsigned("stream", trace.streamHandle(stream));
    json.writeEndObject();
    json.writeRaw('\n');
  }

  private void writeUnsigned(String name, long value) {
    if (value >= 0) {
      json.writeNumberProperty(name, value);
    } else {
      json.writeNumberProperty(name, new BigInteger(Long.toUnsignedString(value)));
    }
  }

  /** Hands the last lines over; the stream stays open. */
  @Override
  public void close() {
    json.close();
  }
}
