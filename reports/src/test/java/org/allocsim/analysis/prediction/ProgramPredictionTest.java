package org.allocsim.analysis.prediction;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.cli.Golden;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.program.Programs;
import org.junit.jupiter.api.Test;
import org.tukaani.xz.XZInputStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Programs with the parameters of recorded runs, replayed by the policy that the runs had. */
class ProgramPredictionTest {
  private static final double MAX_ERROR = 0.05;

  /** {@code set_per_process_memory_fraction(0.05)} of the run on an H100 80 GB. */
  private static final long GPT_OOM_LIMIT_BYTES = 4_250_874_675L;

  private record Case(String recording, String program, long seed, String options, String note) {
    AllocationTrace trace() {
      Map<String, String> values = new LinkedHashMap<>();
      for (String option : options.isEmpty() ? new String[0] : options.split(" ")) {
        int sign = option.indexOf('=');
        values.put(option.substring(0, sign), option.substring(sign + 1));
      }
      return Programs.generate(program, values, seed);
    }
  }

  private static final List<Case> RECORDED =
      List.of(
          new Case("leak_losses", "mlp", 1, "keep=graph", ""),
          new Case("gpt_varlen", "gpt", 1, "", ""),
          new Case("gpt_ckpt", "gpt", 1, "iterations=6 shortest=512 checkpoint=true", ""),
          new Case(
              "gpt_fixed_accum_amp",
              "gpt",
              1,
              "iterations=5 batch=4 shortest=512 longest=512 amp=bfloat16 accumulate=4",
              ""),
          new Case("vit_train", "vit", 1, "", ""),
          new Case("resnet50_amp", "resnet", 1, "", ""),
          new Case("llama_generate", "llama-generate", 2, "", ""),
          new Case("cat_growth", "cat-growth", 1, "", ""),
          new Case("prefetch_streams", "prefetch", 1, "", ""),
          new Case("gpt_empty", "gpt", 1, "iterations=8 empty-cache-every=1", ""),
          new Case("cuda_graph", "cuda-graph", 1, "", ""));

  private static final List<Case> UNSEEN =
      List.of(
          new Case(
              "gpt_wide_accum",
              "gpt",
              11,
              "layers=3 width=768 heads=12 vocabulary=12000 iterations=4 shortest=100 longest=700"
                  + " batch=5 accumulate=2 positions=1024",
              "at once"),
          new Case(
              "gpt_amp_lengths",
              "gpt",
              12,
              "layers=4 width=256 heads=4 vocabulary=6000 iterations=5 shortest=50 longest=900"
                  + " batch=6 amp=bfloat16 positions=1024",
              "at once"),
          new Case(
              "gpt_amp_ckpt",
              "gpt",
              13,
              "layers=5 width=384 heads=6 vocabulary=10000 iterations=4 shortest=200 longest=800"
                  + " batch=3 amp=bfloat16 checkpoint=true positions=1024",
              "could not be made: autocast with checkpoints was missing"),
          new Case("vit_batch5", "vit", 1, "iterations=3 batch=5", "at once"),
          new Case(
              "resnet50_fp32",
              "resnet",
              1,
              "iterations=3 batch=8 image=160 amp=none scaler=false",
              "at once"),
          new Case(
              "resnet50_amp_192",
              "resnet",
              1,
              "iterations=3 batch=24 image=192",
              "allocated +3.77 %, with a wrong rule for filters of one pixel"),
          new Case(
              "llama_other",
              "llama-generate",
              7,
              "width=768 inner=2048 layers=5 heads=12 vocabulary=5000 prompts=4 least-batch=2"
                  + " most-batch=6 shortest=50 longest=900 new-tokens=30",
              "at once"));

  private final List<String> beyond = new ArrayList<>();

  @Test
  void peaksAreThoseOfRecordedRuns() throws Exception {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Programs against recorded runs

        Each program has the parameters of the recorded run (PyTorch 2.11 with CUDA 13) and is
        replayed by the policy `pytorch`. Requests are allocations and frees. The last column is the
        share of the sequence of requests that is equal from the start; frees without an allocation
        between them count as equal in any order.

        ## Runs from which the rules were checked

        """);
    header(page, "");
    for (Case each : RECORDED) {
      RecordedRun run = RecordedRun.model(each.recording);
      row(
          page,
          each,
          run.stats().get("allocated_bytes.all.peak"),
          run.stats().get("reserved_bytes.all.peak"),
          RequestSequence.of(run.trace()));
    }
    page.append(
        """

        `resnet50_amp`: which workspace cuDNN's heuristics choose is known up to counters of some
        hundred bytes and partial sums of filters' gradients, which are left out.
        The three steps that its gradient scaler left out depend on values and are an option.
        `cuda_graph`: the recording ends while two graphs are held, the program lets them go.

        ## Runs recorded when the rules were there

        The note says what the first prediction was; a rule that it showed to be wrong was
        corrected, so that such a run no longer counts as unseen.

        """);
    header(page, " first prediction |");
    for (Case each : UNSEEN) {
      JsonNode run = holdout(each.recording);
      row(
          page,
          each,
          run.get("allocated_peak").asLong(),
          run.get("reserved_peak").asLong(),
          RequestSequence.of(run.get("requests")));
    }
    page.append(
        """

        Where a sequence parts from the recorded one it is by workspaces of cuDNN: kernels that its
        heuristics choose for other sizes of images, and the division of keys among blocks while a
        token is generated.
        """);
    page.append(
        """

        ## A run that fails

        `gpt_oom` lets every failed step go and takes the next batch. The program knows nothing of
        the allocator: it goes on with the step, after the requests that fail, so that only the
        steps that fail and the peaks can be compared.

        | run | program | allocated, recorded | predicted | error | reserved, recorded | predicted | error | steps that fail, recorded | predicted |
        | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        """);
    failingRun(page);
    assertTrue(beyond.isEmpty(), () -> "beyond 5 %: " + beyond);
    Golden.assertGolden("program-predictions.md", page.toString());
  }

  private static RunSetup pytorch211(AllocationTrace trace, long limitBytes) throws Exception {
    return Scenario.of("", PyTorchVersion.V2_11, limitBytes, DeviceProfiles.defaultProfile())
        .setup(trace, 0, AfterOom.CONTINUE);
  }

  private static void header(StringBuilder page, String last) {
    page.append(
        "| run | program | allocated, recorded | predicted | error | reserved, recorded | predicted"
            + " | error | requests | predicted | equal from the start |"
            + last
            + "\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
            + (last.isEmpty() ? "" : " --- |")
            + "\n");
  }

  private void row(
      StringBuilder page, Case each, long allocated, long reserved, RequestSequence recorded)
      throws Exception {
    AllocationTrace trace = each.trace();
    RunResult result = Run.of(pytorch211(trace, MemoryLimit.NONE));
    RequestSequence predicted = RequestSequence.of(trace);
    page.append(
        "| %s | `%s` | %d | %d | %s | %d | %d | %s | %d | %d | %.1f %% |%s%n"
            .formatted(
                each.recording,
                each.program,
                allocated,
                result.peakAllocatedBytes(),
                error(each, result.peakAllocatedBytes(), allocated),
                reserved,
                result.peakReservedBytes(),
                error(each, result.peakReservedBytes(), reserved),
                recorded.requests(),
                predicted.requests(),
                100 * recorded.equalFromStart(predicted),
                each.note.isEmpty() ? "" : " " + each.note + " |"));
  }

  private void failingRun(StringBuilder page) throws Exception {
    Case each = new Case("gpt_oom", "gpt", 1, "iterations=40 layers=4 longest=2000", "");
    RecordedRun run = RecordedRun.model(each.recording);
    AllocationTrace trace = each.trace();
    BitSet failed = new BitSet();
    int[] step = {-1};
    EffectListener failures =
        new EffectListener() {
          @Override
          public void outOfMemory(OutOfMemory failure) {
            failed.set(step[0]);
          }
        };
    RunResult result =
        Run.of(
            pytorch211(trace, GPT_OOM_LIMIT_BYTES),
            new RunObserver() {
              @Override
              public EffectListener effects() {
                return failures;
              }

              @Override
              public boolean before(int row) {
                step[0] += trace.kind(row) == RequestKind.MARKER_BEGIN ? 1 : 0;
                return true;
              }
            });
    long allocated = run.stats().get("allocated_bytes.all.peak");
    long reserved = run.stats().get("reserved_bytes.all.peak");
    page.append(
        "| %s | `%s` | %d | %d | %s | %d | %d | %s | %d | %d |%n"
            .formatted(
                each.recording,
                each.program,
                allocated,
                result.peakAllocatedBytes(),
                error(each, result.peakAllocatedBytes(), allocated),
                reserved,
                result.peakReservedBytes(),
                error(each, result.peakReservedBytes(), reserved),
                run.stats().get("num_ooms"),
                failed.cardinality()));
  }

  private String error(Case each, long predicted, long recorded) {
    double error = (double) predicted / recorded - 1;
    if (Math.abs(error) > MAX_ERROR) {
      beyond.add(each.recording + ": " + predicted + " for " + recorded);
    }
    return predicted == recorded ? "0" : "%+.3f %%".formatted(100 * error);
  }

  private static JsonNode holdout(String name) throws IOException {
    try (InputStream file =
            ProgramPredictionTest.class.getResourceAsStream("/holdout/" + name + ".json.xz");
        InputStream text = new XZInputStream(file)) {
      return JsonMapper.builder().build().readTree(text);
    }
  }
}
