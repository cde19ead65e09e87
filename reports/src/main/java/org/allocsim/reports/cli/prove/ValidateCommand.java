package org.allocsim.reports.cli.prove;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.validation.CachesAnswer;
import org.allocsim.reports.answer.validation.TogetherAnswer;
import org.allocsim.reports.answer.validation.TorchAnswer;
import org.allocsim.reports.answer.validation.TorchValidation;
import org.allocsim.reports.answer.validation.ValidateAnswer;
import org.allocsim.reports.answer.validation.ValidateCharts;
import org.allocsim.reports.answer.validation.ValidatedCase;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TenantOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.page.ValidateRecordings;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.GpuCase;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.NearLimits;
import org.allocsim.validation.gpu.TogetherResult;
import org.allocsim.validation.gpu.TogetherValidation;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim validate}: the simulation against a real GPU. */
@Command(
    name = "validate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs allocators on a real NVIDIA GPU and on the simulated one, and compares them.",
      "",
      "Each policy serves the same requests twice. Compared call by call are the driver calls,"
          + " their",
      "refusals, the free bytes after them, addresses, the stream-ordered pool, failed requests,",
      "the peak and the time in the driver. After the first call that differs only totals are",
      "compared. Nothing but memory is used: no kernels run, unless --touch fills the blocks.",
      "Everything is given back at the end, also on Ctrl-C."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim validate snapshot.pickle",
      "  allocsim validate a.pickle b.pickle --policies pytorch,direct,cuda-async --report out",
      "  allocsim validate snapshot.pickle --policy pytorch --near-limits",
      "  allocsim validate --together a.jsonl b.jsonl,policy=cuda-async --capacity 4GiB",
      "  allocsim validate requests.csv --cache paged,vattention,kvcached --model llama-3.1-8b",
      "  allocsim validate --pytorch snapshot.pickle --conf \"max_split_size_mb:64\" --keep out",
      "  allocsim validate --pytorch --random 100 --jobs 8",
      "  allocsim validate --pytorch --sequences 700 --jobs 2"
    })
public final class ValidateCommand implements Callable<Integer> {
  private static final double DEFAULT_SHARE = 0.9;

  @Parameters(
      paramLabel = "TRACE",
      arity = "0..*",
      description = "Traces of any format; 'allocsim list formats' shows them.")
  private List<String> names = List.of();

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Mixin private ConfListOptions confOptions;

  @Option(
      names = "--memory-limit",
      paramLabel = "SIZE",
      description = "Limit of the allocator, such as 24GiB.",
      converter = SizeConverter.class)
  private Long limitBytes;

  @Option(
      names = "--capacity",
      paramLabel = "SIZE",
      description =
          "Leave only this much memory free on the GPU and hold all else back meanwhile, so that"
              + " the driver itself refuses what goes beyond.",
      converter = SizeConverter.class)
  private Long capacityBytes;

  @Option(
      names = "--near-limits",
      description =
          "Also run each policy with just enough memory on the GPU, just enough under its own"
              + " limit, and with one page less than each.")
  private boolean nearLimits;

  @Option(
      names = "--together",
      description =
          "Run all traces at the same time, each in a process of its own, in the order of their"
              + " times. After a comma, a trace may have a policy and a memory-limit of its own.")
  private boolean together;

  @Option(names = "--touch", description = "Fill every block with zeros on its stream.")
  private boolean touch;

  @Option(
      names = "--gpu",
      paramLabel = "N",
      description = "Number of the GPU, from 0 (default: 0).",
      converter = TraceOptions.IndexConverter.class)
  private int gpu;

  @Option(
      names = "--device",
      paramLabel = "PROFILE",
      description =
          "Costs of driver calls and places of memory to predict with, by name or from the file"
              + " of a calibration (default: the profile of such a GPU).",
      converter = ProfileConverter.class)
  private DeviceProfile profile;

  @Option(
      names = "--max-gpu-memory",
      paramLabel = "SIZE",
      description =
          "Maximum memory that may be used; requests beyond are refused (default: 90 %% of what is"
              + " free). Where the driver itself is to refuse (--capacity, --near-limits), all free"
              + " memory is taken.",
      converter = SizeConverter.class)
  private Long maxBytes;

  @Option(
      names = "--max-seconds",
      paramLabel = "N",
      description = "Longest time that one case may use the GPU (default: 600).")
  private int mostSeconds = 600;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Mixin private TorchOptions torch;

  @Mixin private CacheCheck caches;

  /** What the page shows of the simulated runs; null where no page is wanted. */
  private @Nullable ValidateRecordings recordings;

  @Override
  public Integer call() throws IOException {
    if (together) {
      return validateTogether();
    }
    names.forEach(Inputs::require);
    if (caches.isAsked()) {
      return validateCaches();
    }
    if (mostSeconds <= 0) {
      throw Failure.usage("--max-seconds " + mostSeconds + " is no time at all; give 1 or more");
    }
    torch.check();
    if (names.isEmpty() && torch.runs().random() == 0 && torch.runs().sequences() == 0) {
      throw Failure.usage("no trace is given; name one");
    }
    if (torch.pytorch() && (capacityBytes != null || nearLimits || touch || maxBytes != null)) {
      throw Failure.usage(
          "--capacity, --near-limits, --touch and --max-gpu-memory do not go with --pytorch; leave"
              + " them out");
    }
    if (torch.pytorch() && outputOptions.figure() != null) {
      throw Failure.usage("--figure is for charts, and --pytorch draws none; leave it out");
    }
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
    outputOptions.requireNoTime();
    List<PolicyChoice> chosen = torch.pytorch() ? List.of() : policyOptions.choices();
    try (DocumentOutputs outputs = outputOptions.open(files().toArray(Path[]::new))) {
      EarlyEnd.begin();
      if (torch.pytorch()) {
        return validatePyTorch(outputs);
      }
      recordings = outputs.hasPage() ? new ValidateRecordings() : null;
      ValidateAnswer answer = validate(chosen);
      if (outputs.charts() != null) {
        ValidateCharts.write(answer, outputs.charts());
      }
      outputs.write(answer.document(), recordings == null ? List.of() : recordings.traces());
      return ExitCodes.DONE;
    }
  }

  private int validateCaches() {
    if (torch.pytorch() || nearLimits || touch || maxBytes != null || names.size() != 1) {
      throw Failure.usage(
          "--cache takes one file of requests, and goes with --model, --first, --capacity and --gpu"
              + " only");
    }
    Path file = Inputs.require(names.getFirst());
    try (DocumentOutputs outputs = outputOptions.open(file)) {
      EarlyEnd.begin();
      CachesAnswer answer = caches.answer(file, gpu, profile, capacityBytes);
      outputs.write(answer.document());
      return answer.isExact() ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    } catch (CudaException e) {
      throw failure(e);
    }
  }

  /** Why there is no answer at all. */
  private static Failure failure(CudaException e) {
    return new Failure(
        EarlyEnd.isAsked()
            ? "a signal ended this before a case was finished; give it more time"
            : e.getMessage(),
        e);
  }

  private int validateTogether() {
    if (torch.pytorch() || nearLimits || touch || maxBytes != null || names.size() < 2) {
      throw Failure.usage(
          "--together takes two traces or more, and goes with --policy, --memory-limit, --capacity"
              + " and --gpu only");
    }
    List<TenantOption> options = names.stream().map(TenantOption::parse).toList();
    Path[] files = options.stream().map(option -> Traces.file(option.trace())).toArray(Path[]::new);
    PolicyChoice usual = policyOptions.choices().getFirst();
    try (DocumentOutputs outputs = outputOptions.open(files)) {
      long startNanos = System.nanoTime();
      List<TogetherValidation.Member> members = new ArrayList<>();
      for (TenantOption option : options) {
        members.add(
            new TogetherValidation.Member(
                option.trace(),
                traceOptions.open(option.trace(), Conditions.RECORDED).input(),
                option.policy().orElse(usual),
                option
                    .bytes("memory-limit")
                    .orElse(limitBytes == null ? Long.valueOf(MemoryLimit.NONE) : limitBytes)));
      }
      CudaDevice.Identity identity = new GpuValidation(gpu, GpuBounds.NONE).identify();
      TogetherResult result =
          new TogetherValidation(gpu)
              .run(identity, members, capacityBytes == null ? -1 : capacityBytes);
      TogetherAnswer answer =
          new TogetherAnswer(
              LocalDate.now(ZoneOffset.UTC).toString(),
              driverVersion(),
              identity,
              result,
              (System.nanoTime() - startNanos) / 1e9);
      outputs.write(answer.document());
      return result.isExact() ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    } catch (CudaException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  private List<Path> files() {
    List<Path> files = new ArrayList<>();
    names.forEach(name -> files.add(Traces.file(name)));
    return files;
  }

  private int validatePyTorch(DocumentOutputs outputs) {
    TorchValidation validation =
        new TorchValidation(torch.runs(), gpu, mostSeconds, limitBytes, confOptions.given());
    names.forEach(name -> validation.add(traceOptions.open(name, Conditions.RECORDED).input()));
    TorchAnswer answer = validation.run(driverVersion());
    outputs.write(answer.document());
    return answer.failed()
        ? ExitCodes.FAILED
        : answer.isExact() ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
  }

  private ValidateAnswer validate(List<PolicyChoice> chosen) {
    try {
      CudaDevice.Identity identity = new GpuValidation(gpu, GpuBounds.NONE).identify();
      GpuBounds bounds = bounds(identity);
      GpuValidation validation = new GpuValidation(gpu, bounds, profile);
      validation.warmUp();
      List<ValidatedCase> cases = new ArrayList<>();
      for (String name : names) {
        Program program = traceOptions.open(name, Conditions.RECORDED);
        DeviceTrace input = program.input();
        List<PolicyChoice> expanded =
            confOptions
                .choices()
                .expand(
                    chosen,
                    input.conf(),
                    null,
                    program.release(),
                    GpuValidation.profile(identity, identity.freeBytesAtStart()));
        for (PolicyChoice choice : expanded) {
          if (!EarlyEnd.isAsked()) {
            run(input, choice, validation, identity, bounds, cases);
          }
        }
      }
      if (EarlyEnd.isAsked() && cases.isEmpty()) {
        throw new CudaException("no case was finished");
      }
      return new ValidateAnswer(
          LocalDate.now(ZoneOffset.UTC).toString(),
          driverVersion(),
          identity,
          new GpuValidation(gpu, GpuBounds.NONE).identify().freeBytesAtStart(),
          bounds.mostBytes(),
          touch,
          cases);
    } catch (CudaException e) {
      throw failure(e);
    }
  }

  private GpuBounds bounds(CudaDevice.Identity identity) {
    long nanos = Duration.ofSeconds(mostSeconds).toNanos();
    if (maxBytes != null) {
      if (capacityBytes != null || nearLimits) {
        throw Failure.usage(
            "--max-gpu-memory bounds the memory that is used, and "
                + (nearLimits ? "--near-limits" : "--capacity")
                + " takes all that is free; leave one of them out");
      }
      return new GpuBounds(maxBytes & -(2L << 20), nanos);
    }
    long maxBytes = (long) (identity.freeBytesAtStart() * DEFAULT_SHARE) & -(2L << 20);
    return new GpuBounds(capacityBytes != null || nearLimits ? Long.MAX_VALUE : maxBytes, nanos);
  }

  /** The driver's own version where it is installed in the usual place, else null. */
  static @Nullable String driverVersion() {
    try {
      String text = Files.readString(Path.of("/proc/driver/nvidia/version"));
      Matcher version = Pattern.compile("\\b([0-9]{3}\\.[0-9]+(\\.[0-9]+)?)\\b").matcher(text);
      return version.find() ? version.group(1) : null;
    } catch (IOException _) {
      return null;
    }
  }

  private void run(
      DeviceTrace input,
      PolicyChoice choice,
      GpuValidation validation,
      CudaDevice.Identity identity,
      GpuBounds bounds,
      List<ValidatedCase> cases) {
    GpuCase base =
        new GpuCase(
            input.trace(),
            input.device(),
            choice.provider(),
            new PolicySettings(
                limitBytes == null ? MemoryLimit.NONE : limitBytes, choice.options()),
            capacityBytes == null ? -1 : capacityBytes,
            touch);
    try {
      CaseResult result = add(input, choice, base, false, validation, cases);
      if (recordings != null && !EarlyEnd.isAsked()) {
        recordings.add(
            input,
            cases.size() - 1,
            choice,
            base.settings().limitBytes(),
            GpuValidation.profile(identity, result.capacityBytes()));
      }
      if (nearLimits) {
        long maxBytes = Math.min(bounds.mostBytes(), identity.freeBytesAtStart());
        for (GpuCase near : new NearLimits(base, identity, maxBytes).cases()) {
          add(input, choice, near, true, validation, cases);
        }
      }
    } catch (CudaException e) {
      if (!EarlyEnd.isAsked()) {
        throw e;
      }
      // The case that was under way has no result.
    } catch (UnfitTraceException e) {
      cases.add(notRun(input, choice, "needs " + e.getMessage()));
    } catch (PolicyOptionException e) {
      throw Failure.usage(choice.label() + ": " + e.getMessage());
    }
  }

  private static CaseResult add(
      DeviceTrace input,
      PolicyChoice choice,
      GpuCase run,
      boolean near,
      GpuValidation validation,
      List<ValidatedCase> cases)
      throws PolicyOptionException, UnfitTraceException {
    CaseResult result = validation.run(run);
    cases.add(
        new ValidatedCase(
            fileName(input),
            input.sha256(),
            choice,
            run.settings().limitBytes(),
            run.capacityBytes(),
            near,
            null,
            result));
    return result;
  }

  private static ValidatedCase notRun(DeviceTrace input, PolicyChoice choice, String reason) {
    return new ValidatedCase(fileName(input), input.sha256(), choice, -1, -1, false, reason, null);
  }

  private static String fileName(DeviceTrace input) {
    return Path.of(input.name()).getFileName().toString();
  }
}
