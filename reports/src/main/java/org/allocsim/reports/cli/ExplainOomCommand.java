package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.oom.BfcDump;
import org.allocsim.analysis.oom.BfcDumpReader;
import org.allocsim.analysis.oom.OomExplainer;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.analysis.oom.OomSettings;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.Terminals;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim explain-oom}: why did the request of an out-of-memory message fail? */
@Command(
    name = "explain-oom",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Explains out-of-memory messages: a verdict, the arithmetic, what helps.",
      "Reads the messages of PyTorch 1.0 to 2.14 (CUDA and HIP, also cudaMallocAsync), in a log of",
      "any size, with timestamps, rank prefixes, colours and broken lines around them; a table of",
      "torch.cuda.memory_summary() in the log, which shows where the cached memory lies; the dumps",
      "that the BFC allocator of TensorFlow and JAX prints; and what vLLM, SGLang, XLA, CuPy, RMM,",
      "PaddlePaddle, ONNX Runtime and PyTorch on MPS, NPU and XPU say. Memory of the host that ran",
      "out is named as such."
    },
    exitCodeListHeading = "%nExit codes, of the first message in the log that decides:%n",
    exitCodeList = {
      " 1:failed, or no message found",
      " 2:wrong usage",
      "10:FRAGMENTED     free and cached memory would do, but not in one piece",
      "11:FULL           even perfect packing is too little; no allocator setting can fix it",
      "12:CAPPED         the memory fraction refused what the GPU could give",
      "13:POOL           enough is free, but inside private pools (CUDA graphs, MemPool)",
      "14:NOT-ALLOCATOR  the driver had enough free memory and still refused",
      "15:SPILLED        more is allocated than the GPU holds: system RAM is in use",
      "16:IMPOSSIBLE     the request is larger than the GPU",
      "17:UNKNOWN        the message lacks numbers that the verdict needs",
      "18:ELSEWHERE      other processes or memory outside the allocator hold what is short",
      "19:HOST           the host's memory ran out, not the GPU's",
      "20:no numbers     memory ran out, and the text has no number that says why"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim explain-oom train.log",
      "  python train.py 2>&1 | allocsim explain-oom",
      "  allocsim explain-oom train.log --conf expandable_segments:True --json verdict.json"
    })
final class ExplainOomCommand implements Callable<Integer> {
  private static final String STANDARD_INPUT = "-";

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      defaultValue = STANDARD_INPUT,
      description = "Log or message; - or nothing is standard input.")
  private String name;

  @Option(
      names = "--conf",
      paramLabel = "CONF",
      description =
          "PYTORCH_CUDA_ALLOC_CONF of the failed run, so that nothing is advised that was on. By"
              + " default what the log itself assigns.")
  private String conf;

  @Option(
      names = "--show",
      paramLabel = "N",
      defaultValue = "10",
      description = "Different messages to explain in full; the others are counted. Default: 10.")
  private int show;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (show < 1) {
      throw Failure.usage("--show " + show + " shows nothing; give 1 or more");
    }
    Path file = name.equals(STANDARD_INPUT) ? null : Inputs.require(name);
    try (DocumentOutputs outputs = outputOptions.open(file)) {
      BfcDumpReader dumpReader = new BfcDumpReader();
      OomLog.Contents contents = read(file, dumpReader);
      List<BfcDump> dumps = dumpReader.finish();
      if (contents.found().isEmpty() && dumps.isEmpty()) {
        int exitCode = contents.bare().count() > 0 ? ExitCodes.NO_NUMBERS : ExitCodes.FAILED;
        throw new Failure(exitCode, nothingFound(contents));
      }
      OomSettings settings =
          conf == null ? contents.settings() : new OomSettings(conf, "by --conf");
      List<OomExplanation> explanations =
          contents.found().stream()
              .map(found ->
                  OomExplainer.explain(
                      found.message(), contents.tableOf(found), settings, contents.windows()))
              .toList();
      ExplainOomAnswer answer =
          new ExplainOomAnswer(label(), contents, settings, explanations, dumps);
      outputs.write(answer.document(show));
      return ExitCodes.of(answer.first());
    }
  }

  private OomLog.Contents read(Path file, BfcDumpReader dumps) throws IOException {
    if (file != null) {
      try (InputStream in = Files.newInputStream(file)) {
        return OomLog.read(in, dumps);
      }
    }
    if (Terminals.isInputTerminal()) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("allocsim: paste the message, then end the input (Ctrl-D; Ctrl-Z on Windows)");
      err.flush();
    }
    return OomLog.read(System.in, dumps);
  }

  private String label() {
    return name.equals(STANDARD_INPUT) ? "standard input" : name;
  }

  private String nothingFound(OomLog.Contents contents) {
    if (contents.lines() == 0) {
      return label() + ": is empty; give a log or message";
    }
    OomLog.Bare bare = contents.bare();
    if (bare.count() > 0) {
      return label()
          + ": line "
          + bare.firstLine()
          + " says that memory ran out, but without numbers; give the whole message"
          + " (\"CUDA error: out of memory\" has none: there a CUDA call outside the allocator"
          + " failed)";
    }
    return label()
        + ": no out-of-memory message and no dump of a BFC allocator in "
        + contents.lines()
        + (contents.lines() == 1 ? " line" : " lines")
        + "; give the text from \"CUDA out of memory\" on";
  }
}
