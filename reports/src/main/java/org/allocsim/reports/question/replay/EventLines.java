package org.allocsim.reports.question.replay;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Writes every effect as one line of JSON, with the names and sizes of PyTorch's memory history
 * (2.11). {@code stream} is the recorded handle. A failed request has no {@code addr}; snapshots
 * that the program took have no line, because the allocator did not cause them.
 */
final class EventLines extends EffectRows implements AutoCloseable {
  private final Writer out;
  private final AllocationTrace trace;

  EventLines(OutputStream out, AllocationTrace trace) {
    this.out = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    this.trace = trace;
  }

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    if (kind == EffectKind.SNAPSHOT) {
      return;
    }
    try {
      out.append("{\"action\":\"").append(kind.action()).append('"');
      if (kind != EffectKind.OOM) {
        append("addr", address);
      }
      append("size", bytes);
      append("stream", trace.streamHandle(stream));
      out.append("}\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void append(String name, long value) throws IOException {
    out.append(",\"").append(name).append("\":").append(Long.toUnsignedString(value));
  }

  /** Hands the last lines over; the stream stays open. */
  @Override
  public void close() {
    try {
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
