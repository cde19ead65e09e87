package org.allocsim.reports.answer.product;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * Writes the histories of a recording as CSV, an entry a row, for programs that compute with
 * columns: {@code device}, {@code entry} (counted from 0), {@code action}, {@code address}, {@code
 * bytes}, {@code stream} (the recorded handle), {@code time_ns} (empty where none was recorded) and
 * {@code frame} (the innermost frame of the program). Failed requests have no address.
 */
public final class HistoryRows {
  private static final int BUFFER_CHARS = 1 << 16;
  private static final int MAX_ROW_CHARS = 1 << 12;

  private final Snapshot snapshot;
  private final StackLabels labels;
  private final @Nullable String[] frames;
  private final OutputStream out;
  private final StringBuilder text = new StringBuilder(BUFFER_CHARS + MAX_ROW_CHARS);

  private HistoryRows(Snapshot snapshot, OutputStream out) {
    this.snapshot = snapshot;
    this.out = out;
    labels = new StackLabels(snapshot.stacks(), 1);
    frames = new String[snapshot.stacks().stackCount()];
  }

  /**
   * Writes the entries of all devices.
   *
   * @param from the first entry of each history, from 0
   * @param to the entry after the last one
   * @param out stays open
   */
  public static void write(Snapshot snapshot, long from, long to, OutputStream out) {
    try {
      new HistoryRows(snapshot, out).write(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(long from, long to) throws IOException {
    text.append("device,entry,action,address,bytes,stream,time_ns,frame\n");
    for (int device = 0; device < snapshot.devices().size(); device++) {
      DeviceHistory history = snapshot.devices().get(device);
      int end = (int) Math.min(to, history.effects().count());
      for (int row = (int) Math.min(from, end); row < end; row++) {
        row(device, history, row);
        if (text.length() >= BUFFER_CHARS) {
          flush();
        }
      }
    }
    flush();
  }

  private void row(int device, DeviceHistory history, int row) {
    EffectLog effects = history.effects();
    text.append(device).append(',').append(row).append(',');
    text.append(effects.kind(row).action()).append(',');
    switch (effects.kind(row)) {
      case OOM, SNAPSHOT -> {}
      default -> unsigned(effects.address(row));
    }
    text.append(',');
    unsigned(effects.bytes(row));
    text.append(',');
    unsigned(snapshot.streamHandles()[effects.stream(row)]);
    text.append(',');
    if (history.hasTimes()) {
      text.append(history.timeNanos(row));
    }
    text.append(',').append(frame(history.stack(row))).append('\n');
  }

  private String frame(int stack) {
    String frame = frames[stack];
    if (frame == null) {
      frame = CsvText.cell(labels.label(stack));
      frames[stack] = frame;
    }
    return frame;
  }

  private void unsigned(long value) {
    if (value >= 0) {
      text.append(value);
    } else {
      text.append(Long.toUnsignedString(value));
    }
  }

  private void flush() throws IOException {
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    text.setLength(0);
  }
}
