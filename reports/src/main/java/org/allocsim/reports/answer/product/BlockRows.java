package org.allocsim.reports.answer.product;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;

/**
 * Writes the blocks at the end of a recording as CSV, a block a row, for programs that compute with
 * columns: {@code device}, {@code address}, {@code bytes}, {@code requested_bytes}, {@code state}
 * (as PyTorch names it), {@code stream} (the recorded handle), {@code category} (what the recorder
 * knows it to be for, such as {@code parameter}; else empty) and {@code frame} (the innermost frame
 * of the program that allocated it).
 */
public final class BlockRows {
  private static final int BUFFER_CHARS = 1 << 16;

  private BlockRows() {}

  /**
   * Writes the blocks of all devices, in the order of the file.
   *
   * @param out stays open
   */
  public static void write(Snapshot snapshot, OutputStream out) {
    Map<Integer, Map<Long, String>> categories = categories(snapshot);
    StackLabels labels = new StackLabels(snapshot.stacks(), 1);
    StringBuilder text = new StringBuilder();
    text.append("device,address,bytes,requested_bytes,state,stream,category,frame\n");
    try {
      for (SnapshotSegment segment : snapshot.segments()) {
        Map<Long, String> known = categories.getOrDefault(segment.device(), Map.of());
        String stream = Long.toUnsignedString(snapshot.streamHandles()[segment.stream()]);
        for (int block = 0; block < segment.blockCount(); block++) {
          long address = segment.blockAddress(block);
          text.append(segment.device()).append(',').append(Long.toUnsignedString(address));
          text.append(',').append(segment.blockBytes(block));
          text.append(',').append(segment.blockRequestedBytes(block));
          text.append(',').append(segment.blockState(block).label()).append(',').append(stream);
          text.append(',').append(CsvText.cell(known.getOrDefault(address, "")));
          text.append(',').append(CsvText.cell(labels.label(segment.blockStack(block))));
          text.append('\n');
          if (text.length() >= BUFFER_CHARS) {
            flush(text, out);
          }
        }
      }
      flush(text, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<Integer, Map<Long, String>> categories(Snapshot snapshot) {
    Map<Integer, Map<Long, String>> categories = new HashMap<>();
    snapshot
        .facts()
        .ifPresent(facts ->
            facts
                .devices()
                .forEach(device -> {
                  Map<Long, String> known = new HashMap<>();
                  device.storages().forEach(each -> known.put(each.address(), each.category()));
                  categories.put(device.device(), known);
                }));
    return categories;
  }

  private static void flush(StringBuilder text, OutputStream out) throws IOException {
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    text.setLength(0);
  }
}
