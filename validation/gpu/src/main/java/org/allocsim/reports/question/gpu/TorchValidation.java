package org.allocsim.reports.question.gpu;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.reports.answer.gpu.CallKind;
import org.allocsim.reports.answer.gpu.TorchAnswer;
import org.allocsim.reports.answer.gpu.TorchCase;
import org.allocsim.reports.answer.gpu.TorchProgram;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.validation.torch.CallVerdict;
import org.allocsim.validation.torch.TorchCalls;
import org.allocsim.validation.torch.TorchComparison;
import org.allocsim.validation.torch.TorchException;
import org.allocsim.validation.torch.TorchJob;
import org.allocsim.validation.torch.TorchMachine;
import org.allocsim.validation.torch.TorchProcesses;
import org.allocsim.validation.torch.TorchRequests;
import org.allocsim.validation.torch.TorchVerdict;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.program.SyntheticProgram;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/** Runs programs through PyTorch under several settings and compares; {@code --pytorch}. */
final class TorchValidation {
  private static final String DEFAULT_CONF = "";
  private static final String EXPANDABLE = "expandable_segments:True";

  /** Settings for synthetic programs unless the user gives some. */
  private static final List<String> SYNTHETIC_CONFS =
      List.of(
          DEFAULT_CONF,
          EXPANDABLE,
          "max_split_size_mb:64,garbage_collection_threshold:0.7",
          "roundup_power2_divisions:4",
          "expandable_segments:True,garbage_collection_threshold:0.6,max_split_size_mb:32");

  private static final int MAX_THREADS = 8;

  private final TorchRuns runs;
  private final int gpu;
  private final int secondsEach;
  private final @Nullable Long limitBytes;
  private final @Nullable String confs;
  private final List<TorchProgram> programs = new ArrayList<>();
  private final List<TorchCase> cases = new ArrayList<>();
  private List<CallVerdict> sequences = List.of();
  private @Nullable Path kept;
  private Optional<TorchMachine> machine = Optional.empty();

  /**
   * A validation without programs.
   *
   * @param confs settings separated by semicolons, or null
   * @param limitBytes limit of the allocator, or null
   */
  TorchValidation(
      TorchRuns runs, int gpu, int secondsEach, @Nullable Long limitBytes, @Nullable String confs) {
    this.runs = runs;
    this.gpu = gpu;
    this.secondsEach = secondsEach;
    this.limitBytes = limitBytes;
    this.confs = confs;
  }

  void add(DeviceTrace input) {
    programs.add(
        new TorchProgram(
            Path.of(input.name()).getFileName().toString(),
            input.sha256(),
            input.conf(),
            input.trace(),
            TorchRequests.of(input.trace(), input.device()),
            MemoryLimit.NONE,
            false));
  }

  /**
   * Runs everything.
   *
   * @param driverVersion version of the GPU's driver, for the report
   * @throws Failure where PyTorch or a GPU is missing, or files cannot be written
   */
  TorchAnswer run(@Nullable String driverVersion) {
    long startNanos = System.nanoTime();
    for (int i = 0; i < runs.random(); i++) {
      SyntheticProgram program = SyntheticProgram.of(runs.seed() + i);
      programs.add(
          new TorchProgram(
              program.name(),
              null,
              null,
              program.trace(),
              TorchRequests.of(program.trace(), 0),
              program.limitBytes(),
              true));
    }
    SequencedSet<String> settings = settings();
    settings.forEach(conf -> settings(conf, PyTorchVersion.DEFAULT));
    Path folder = null;
    try {
      kept = runs.keep() == null ? null : Files.createDirectories(Path.of(runs.keep()));
      folder = Files.createTempDirectory("allocsim-pytorch-");
      keepTraces();
      for (String conf : settings) {
        if (!EarlyEnd.isAsked()) {
          run(conf, folder);
        }
      }
      if (!EarlyEnd.isAsked()) {
        sendSequences(folder);
      }
    } catch (InvalidPathException e) {
      throw new Failure("--keep " + runs.keep() + ": not a file name; name another folder", e);
    } catch (IOException e) {
      throw new Failure("cannot write files for PyTorch: " + e.getMessage(), e);
    } catch (TorchException e) {
      throw new Failure(e.getMessage(), e);
    } finally {
      remove(folder);
    }
    return new TorchAnswer(
        LocalDate.now(ZoneOffset.UTC).toString(),
        driverVersion,
        machine.orElseThrow(
            () -> new Failure("stopped before PyTorch had run anything; run it again")),
        List.copyOf(settings),
        List.copyOf(cases),
        CallKind.of(sequences),
        (System.nanoTime() - startNanos) / 1e9);
  }

  private void sendSequences(Path folder) throws TorchException, IOException {
    if (runs.sequences() == 0) {
      return;
    }
    try (ProgressMeter progress = ProgressMeter.of("PyTorch", "cases")) {
      TorchCalls calls = new TorchCalls(runs.python(), runs.jobs(), secondsEach, folder);
      sequences =
          calls.run(runs.sequences(), runs.seed(), done -> progress.update(done, runs.sequences()));
      machine = machine.or(() -> Optional.of(calls.machine()));
    }
  }

  private SequencedSet<String> settings() {
    SequencedSet<String> settings = new LinkedHashSet<>();
    if (programs.isEmpty()) {
      return settings;
    }
    if (confs != null) {
      for (String conf : confs.split(";", -1)) {
        settings.add(conf.strip());
      }
      return settings;
    }
    for (TorchProgram program : programs) {
      settings.add(program.conf() == null ? DEFAULT_CONF : program.conf());
    }
    settings.add(EXPANDABLE);
    if (runs.random() > 0) {
      settings.addAll(SYNTHETIC_CONFS);
    }
    return settings;
  }

  /** The settings that a program is run under: those given, else its own and expandable ones. */
  private boolean isFor(TorchProgram program, String conf) {
    return confs != null
        || (program.synthetic()
            ? SYNTHETIC_CONFS.contains(conf)
            : conf.equals(EXPANDABLE)
                || conf.equals(program.conf() == null ? DEFAULT_CONF : program.conf()));
  }

  private void run(String conf, Path folder) throws IOException, TorchException {
    List<TorchJob> jobs = new ArrayList<>();
    for (int i = 0; i < programs.size(); i++) {
      TorchProgram program = programs.get(i);
      if (isFor(program, conf)) {
        long limit = limitBytes != null ? limitBytes : program.limitBytes();
        jobs.add(new TorchJob(i, program.requests(), limit));
      }
    }
    int threads = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_THREADS);
    List<Future<TorchCase>> compared = new ArrayList<>();
    try (ExecutorService executor = Executors.newFixedThreadPool(threads);
        ProgressMeter progress = ProgressMeter.of("PyTorch", "cases")) {
      new TorchProcesses(
              runs.python(),
              gpu,
              runs.jobs(),
              secondsEach,
              runs.casesPerProcess(),
              runs.stopAfterSeconds(),
              folder)
          .run(
              conf,
              jobs,
              new TorchProcesses.Listener() {
                @Override
                public void started(TorchMachine found) {
                  version(found);
                  machine = Optional.of(found);
                }

                @Override
                public void done(TorchJob job, Path snapshot, Path side, @Nullable String error) {
                  compared.add(executor.submit(() -> compare(conf, job, snapshot, side, error)));
                  progress.update(compared.size(), jobs.size());
                }
              });
      for (Future<TorchCase> each : compared) {
        cases.add(each.get());
      }
      cases.sort(
          (a, b) -> a.conf().equals(b.conf()) ? Integer.compare(a.job().id(), b.job().id()) : 0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      throw switch (e.getCause()) {
        case Error error -> throw error;
        case RuntimeException failure -> failure;
        case null, default -> new IllegalStateException(e);
      };
    }
  }

  private static PyTorchVersion version(TorchMachine found) {
    try {
      return PyTorchVersion.of(found.torch());
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage() + "; name a Python that has one of them with --python", e);
    }
  }

  private TorchCase compare(
      String conf, TorchJob job, Path snapshot, Path side, @Nullable String error)
      throws IOException {
    TorchProgram program = programs.get(job.id());
    if (error != null) {
      return new TorchCase(program, conf, job, null, error);
    }
    TorchMachine on = machine.orElseThrow();
    PyTorchVersion version = version(on);
    AllocatorConfig config = settings(conf, version).allocator();
    TorchCase result;
    try {
      TorchVerdict verdict =
          TorchComparison.of(job, config, conf, version, on, gpu, snapshot, side);
      result = new TorchCase(program, conf, job, verdict, null);
    } catch (IOException e) {
      result = new TorchCase(program, conf, job, null, e.getMessage());
    }
    Path folder = kept;
    if (folder != null && !(runs.keepDiffering() && result.exact())) {
      String name = fileName(program) + '.' + conf.replaceAll("[^A-Za-z0-9_.-]", "_");
      Files.copy(snapshot, folder.resolve(name + ".pickle"), StandardCopyOption.REPLACE_EXISTING);
      Files.copy(side, folder.resolve(name + ".json"), StandardCopyOption.REPLACE_EXISTING);
      if (program.synthetic() && runs.keepDiffering()) {
        keepTrace(program, folder);
      }
    }
    Files.deleteIfExists(snapshot);
    Files.deleteIfExists(side);
    return result;
  }

  private void keepTraces() throws IOException {
    if (kept != null && !runs.keepDiffering()) {
      for (TorchProgram program : programs) {
        if (program.synthetic()) {
          keepTrace(program, kept);
        }
      }
    }
  }

  private void keepTrace(TorchProgram program, Path folder) throws IOException {
    Path file = folder.resolve(fileName(program) + ".jsonl");
    try (var out = Files.newOutputStream(file)) {
      TraceFormats.named(JsonLinesFormat.ID)
          .orElseThrow()
          .writer()
          .orElseThrow()
          .write(program.trace(), 0, out);
    }
  }

  private static String fileName(TorchProgram program) {
    return program.name().replaceAll("[^A-Za-z0-9_.-]", "_");
  }

  private static void remove(@Nullable Path folder) {
    if (folder == null) {
      return;
    }
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException e)
                throws IOException {
              Files.delete(visited);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException _) {
      // What cannot be removed lies in the folder for temporary files.
    }
  }

  private static ParsedConfig settings(String conf, PyTorchVersion release) {
    try {
      return Program.parse(conf, release);
    } catch (ProgramException e) {
      throw Failure.of(e);
    }
  }
}
