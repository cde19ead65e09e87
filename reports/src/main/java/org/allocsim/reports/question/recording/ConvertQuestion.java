package org.allocsim.reports.question.recording;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.product.WrittenAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.WrittenFormat;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceWriter;
import org.allocsim.workloads.format.pytorch.RecordedWriter;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * What is a trace in another format?
 *
 * @param output file to write
 * @param to id of its format; null for the one that its name ends like
 */
public record ConvertQuestion(String output, @Nullable String to)
    implements DrawnQuestion<DeviceTrace> {
  private static final String OUTPUT = "--output";

  @Override
  public void open(DocumentOutputs outputs) {
    format();
    outputs.open(OUTPUT, output);
  }

  @Override
  public DeviceTrace ask(Asked asked) {
    return asked.trace().program().input();
  }

  @Override
  public void draw(DeviceTrace input, DocumentOutputs outputs) throws IOException {
    OutputStream file = Objects.requireNonNull(outputs.opened(OUTPUT)).stream();
    try (OutputStream stream =
        Compression.ofName(output).encode(new BufferedOutputStream(file, 1 << 16))) {
      TraceWriter writer = writer();
      // A recording goes along where the format holds one.
      if (writer instanceof RecordedWriter recorded && input.recording().isPresent()) {
        recorded.write(input.trace(), input.device(), input.recording().get().snapshot(), stream);
      } else {
        writer.write(input.trace(), input.device(), stream);
      }
    }
  }

  private TraceFormat format() {
    return WrittenFormat.of(output, to);
  }

  private TraceWriter writer() {
    return format().writer().orElseThrow();
  }

  @Override
  public Document<?> document(DeviceTrace input) {
    List<String> losses = losses(input);
    return WrittenAnswer.document(
        "convert",
        "%s: %s of device %d as %s%s"
            .formatted(
                output,
                Numbers.count(rows(input), "request"),
                input.device(),
                format().id(),
                losses.isEmpty() ? ", nothing is lost" : ""),
        losses);
  }

  private List<String> losses(DeviceTrace input) {
    TraceWriter writer = writer();
    List<String> losses = new ArrayList<>(writer.losses(input.trace(), input.device()));
    input
        .recording()
        .filter(_ -> !(writer instanceof RecordedWriter))
        .ifPresent(recording ->
            losses.add(
                "what the recorded allocator did ("
                    + Numbers.count(recording.effects(input.device()).count(), "event")
                    + "), its settings and the memory at the end"));
    return losses;
  }

  private static long rows(DeviceTrace input) {
    long rows = 0;
    for (int event = 0; event < input.trace().eventCount(); event++) {
      if (input.trace().device(event) == input.device()) {
        rows++;
      }
    }
    return rows;
  }
}
