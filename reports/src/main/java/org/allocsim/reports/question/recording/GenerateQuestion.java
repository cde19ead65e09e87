package org.allocsim.reports.question.recording;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Objects;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.product.WrittenAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.WrittenFormat;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.Programs;
import org.allocsim.workloads.transform.Timestamps;
import org.jspecify.annotations.Nullable;

/**
 * What would a program ask of its GPU that was never run?
 *
 * @param program name of the program
 * @param values values of its options
 * @param seed random seed
 * @param profile device that determines the times of rows
 * @param output file to write
 * @param to id of its format; null for the one that its name ends like
 */
public record GenerateQuestion(
    String program,
    Map<String, String> values,
    long seed,
    DeviceProfile profile,
    String output,
    @Nullable String to)
    implements DrawnQuestion<AllocationTrace> {
  private static final String OUTPUT = "--output";

  /** Keeps its own copy of the values. */
  public GenerateQuestion {
    values = Map.copyOf(values);
  }

  @Override
  public void open(DocumentOutputs outputs) {
    try {
      Programs.require(program);
    } catch (ProgramOptionException e) {
      throw Failure.usage(e.getMessage());
    }
    format();
    outputs.open(OUTPUT, output);
  }

  private TraceFormat format() {
    return WrittenFormat.of(output, to);
  }

  @Override
  public AllocationTrace ask(Asked asked) {
    try {
      return Timestamps.onto(Programs.generate(program, values, seed), 0, profile);
    } catch (ProgramOptionException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  @Override
  public void draw(AllocationTrace trace, DocumentOutputs outputs) throws IOException {
    OutputStream file = Objects.requireNonNull(outputs.opened(OUTPUT)).stream();
    try (OutputStream stream =
        Compression.ofName(output).encode(new BufferedOutputStream(file, 1 << 16))) {
      format().writer().orElseThrow().write(trace, 0, stream);
    }
  }

  @Override
  public Document<?> document(AllocationTrace trace) {
    return WrittenAnswer.document(
        "generate",
        "%s: %s with %s of program %s as %s"
            .formatted(
                output,
                Numbers.count(trace.eventCount(), "row"),
                Numbers.count(trace.allocationCount(), "allocation"),
                program,
                format().id()),
        format().writer().orElseThrow().losses(trace, 0));
  }
}
