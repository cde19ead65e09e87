package org.allocsim.workloads.program.catalog;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.model.ServedModels;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.llama.GgmlType;
import org.allocsim.workloads.program.llama.LlamaCpp;
import org.allocsim.workloads.program.llama.LlamaCppSettings;
import org.allocsim.workloads.program.llama.WeightFormat;
import org.allocsim.workloads.program.torch.memory.Device;

/** The start of llama.cpp; options have its short names. */
public final class LlamaCppStart extends DescribedProgram {
  private static final String MODEL = "model";
  private static final String FORMAT = "format";

  /** A program; the service loader makes it. */
  public LlamaCppStart() {
    super(
        "llama.cpp",
        "the start of llama.cpp: weights, KV cache and compute buffer of a dense model on one GPU",
        List.of(
            new ProgramOption(MODEL, "llama-3.1-8b", "a known model, or a config.json"),
            new ProgramOption(FORMAT, "Q4_K_M", "format of the weights: " + formats()),
            new ProgramOption("ngl", "999", "layers on the GPU, one more for the output"),
            new ProgramOption(
                "c", "4096", "tokens of all sequences together; 0: the model's context"),
            new ProgramOption("b", "2048", "maximum tokens that a program submits at once"),
            new ProgramOption("ub", "512", "maximum tokens that are computed at once"),
            new ProgramOption("np", "1", "sequences at the same time"),
            new ProgramOption("kvu", "true", "whether all sequences share one KV cache"),
            new ProgramOption("ctk", "f16", "type of cached keys, such as q8_0"),
            new ProgramOption("ctv", "f16", "type of cached values, such as q8_0"),
            new ProgramOption("fa", "true", "flash attention"),
            new ProgramOption(
                "swa-full", "false", "whether layers with a window cache all tokens")));
  }

  private static String formats() {
    return Arrays.stream(WeightFormat.values())
        .map(WeightFormat::name)
        .collect(Collectors.joining(", "));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    try {
      return new LlamaCpp(settings(values), new Device()).run();
    } catch (TraceFormatException e) {
      throw new ProgramOptionException(e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new ProgramOptionException("program " + id() + ": " + e.getMessage());
    }
  }

  private static LlamaCppSettings settings(ProgramValues values) throws TraceFormatException {
    ModelShape model = ServedModels.of(values.text(MODEL));
    int context = values.number("c", 0);
    return new LlamaCppSettings(
        model,
        WeightFormat.named(values.text(FORMAT))
            .orElseThrow(() -> unknown(FORMAT, values.text(FORMAT), formats())),
        values.number("ngl", 0),
        context == 0 ? model.contextTokens() : context,
        Math.min(values.count("ub"), values.count("b")),
        values.count("np"),
        values.flag("kvu"),
        type(values, "ctk"),
        type(values, "ctv"),
        values.flag("fa"),
        values.flag("swa-full"));
  }

  private static GgmlType type(ProgramValues values, String option) {
    String types =
        Arrays.stream(GgmlType.values())
            .filter(GgmlType::isCacheType)
            .map(GgmlType::label)
            .collect(Collectors.joining(", "));
    return GgmlType.named(values.text(option))
        .filter(GgmlType::isCacheType)
        .orElseThrow(() -> unknown(option, values.text(option), types));
  }

  private static ProgramOptionException unknown(String option, String value, String known) {
    return new ProgramOptionException(
        "option %s of program llama.cpp must be one of %s, not '%s'"
            .formatted(option, known, value));
  }
}
