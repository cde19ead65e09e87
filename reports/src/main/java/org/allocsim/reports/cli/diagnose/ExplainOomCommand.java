package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.reports.answer.diagnosis.ExplainOomAnswer;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.LogInput;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
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
      "CUDA.jl, PaddlePaddle, MindSpore, ONNX Runtime, TensorRT, llama.cpp and PyTorch on MPS, NPU",
      "and XPU say. Memory of the host that ran out is named as such."
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
public final class ExplainOomCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      defaultValue = LogInput.STANDARD_INPUT,
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
    LogInput log = LogInput.of(name);
    try (DocumentOutputs outputs = outputOptions.open(log.file())) {
      ExplainOomAnswer answer =
          ExplainOomAnswer.of(log.label(), log.read(spec.commandLine().getErr()), conf);
      outputs.write(answer.document(show));
      return answer.exitCode();
    }
  }
}
