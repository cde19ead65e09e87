package org.allocsim.analysis;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentFinder;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.analysis.program.ProgramSource;
import org.allocsim.analysis.program.Trial;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.profile.ProfileException;
import org.allocsim.workloads.profile.ProfileFile;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * The memory requests of a program, and the conditions under which questions about it are answered:
 * PyTorch's settings and release, the allocator's own limit, the GPU. At first they are those of
 * the recording, where it shows them, else PyTorch's defaults on an H100 with 80 GB. {@link
 * #under}, {@link #on} and the others give a program under other conditions; this one stays as it
 * is. All bytes are plain bytes, all times nanoseconds. Answers are the same each time, but for the
 * wall time in them; several threads may ask.
 *
 * <p>Recorded answers of the driver are followed first where settings, limit and GPU allow it, as
 * the command {@code replay} does; where the allocator then does something else than in the
 * recording, the whole program runs on the model of the GPU.
 */
public final class TracedProgram {
  /** Failed requests that are kept with their messages. */
  private static final int MAX_FAILURES = 1 << 15;

  private final ProgramSource source;
  private final Conditions conditions;

  /** Its moments, and where its allocations come from. */
  private record Survey(Landmarks landmarks, Origins origins) {}

  /** Null until a moment is asked for. */
  private @Nullable Survey survey;

  TracedProgram(TraceSource source) {
    this(new ProgramSource(source), Conditions.RECORDED);
  }

  private TracedProgram(ProgramSource source, Conditions conditions) {
    this.source = source;
    this.conditions = conditions;
  }

  /**
   * The same under other settings of PyTorch's allocator.
   *
   * @param conf value of {@code PYTORCH_CUDA_ALLOC_CONF}; empty for the defaults
   */
  public TracedProgram under(String conf) {
    return with(conditions.under(conf));
  }

  /**
   * The same under the rules of another release of PyTorch; without it those of the release that
   * the recording shows hold, else of the newest.
   *
   * @param release such as {@code 2.9}
   * @throws AnalysisException where there is no such release
   */
  public TracedProgram withRelease(String release) throws AnalysisException {
    return with(conditions.by(releaseOf(release)));
  }

  /**
   * The same with a limit for the allocator, as {@code set_per_process_memory_fraction()} sets one.
   *
   * @param bytes bytes that it may hold from the GPU
   */
  public TracedProgram withLimit(long bytes) {
    return with(conditions.within(new Conditions.Limit.Size(bytes)));
  }

  /**
   * The same on another GPU.
   *
   * @param device name of a profile, such as {@code rtx-4090}, or a file that {@code calibrate}
   *     wrote
   * @throws AnalysisException where there is no such profile, or the file cannot be read
   */
  public TracedProgram on(String device) throws AnalysisException {
    try {
      return on(
          device.endsWith(".json")
              ? ProfileFile.read(Path.of(device))
              : ShippedProfiles.named(device));
    } catch (IllegalArgumentException e) {
      throw new AnalysisException(e.getMessage() + ", or name a file that ends in .json", e);
    } catch (ProfileException e) {
      throw new AnalysisException(device + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new AnalysisException(device + ": cannot be read; check the file", e);
    }
  }

  /** The same on another GPU. */
  public TracedProgram on(DeviceProfile device) {
    return with(conditions.on(device));
  }

  /**
   * The same on a GPU on which so much is free; all else as on the H100.
   *
   * @param bytes more than 0
   */
  public TracedProgram onCapacity(long bytes) {
    return on(DeviceProfiles.ofCapacity(bytes));
  }

  /**
   * The requests of another GPU, where the program has several; without it those of the first that
   * has any.
   *
   * @param index from 0
   */
  public TracedProgram ofDevice(int index) {
    return with(conditions.ofDevice(index));
  }

  private TracedProgram with(Conditions others) {
    return new TracedProgram(source, others);
  }

  /**
   * The requests that questions are about, with the recording that they come from.
   *
   * @throws AnalysisException where the recording has no history or is damaged, the settings are
   *     refused, or the device has no requests
   */
  public DeviceTrace requests() throws AnalysisException {
    return program().input();
  }

  /**
   * Runs PyTorch's caching allocator on the program, to its end.
   *
   * @return statistics, failed requests and cost; a failed request is not an error here
   * @throws AnalysisException as {@link #requests}
   */
  public RunResult run() throws AnalysisException {
    Program program = program();
    return Trial.of(
            program,
            (setup, isRecorded) ->
                Run.of((isRecorded ? setup : program.inTime(setup)).keepingFailures(MAX_FAILURES)),
            RunResult::divergedRow)
        .outcome();
  }

  /**
   * The same on the model of the GPU, with an observer between requests.
   *
   * @throws AnalysisException as {@link #requests}
   */
  public RunResult run(RunObserver observer) throws AnalysisException {
    Program program = program();
    return Run.of(
        program.onModel(RunPolicy.of(program.pytorch())).keepingFailures(MAX_FAILURES), observer);
  }

  /**
   * Runs any allocator on the program, to its end.
   *
   * @param policy an installed policy with its options, such as {@code cuda-async}, {@code
   *     rmm-pool(initial=1GiB)} or {@code pytorch(conf=max_split_size_mb:64)}
   * @return as {@link #run()}
   * @throws AnalysisException where there is no such policy or option, or it cannot serve the
   *     program, and as {@link #requests}
   */
  public RunResult run(String policy) throws AnalysisException {
    PolicyChoice choice;
    try {
      choice = PolicyChoice.parse(policy);
    } catch (IllegalArgumentException e) {
      throw new AnalysisException(e.getMessage(), e);
    }
    if (!choice.provider().spec().id().equals(Program.PYTORCH)) {
      return run(RunPolicy.of(choice), choice.label());
    }
    String conf = choice.options().get(Program.CONF_OPTION);
    String release = choice.options().get(Program.VERSION_OPTION);
    TracedProgram program = conf == null ? this : under(conf);
    return (release == null ? program : program.withRelease(release)).run();
  }

  /**
   * Runs an allocator that is not installed on the program, to its end. PyTorch's settings are not
   * for it.
   *
   * @param policy makes the allocator
   * @return as {@link #run()}
   * @throws AnalysisException where it cannot serve the program, and as {@link #requests}
   */
  public RunResult run(RunPolicy policy) throws AnalysisException {
    return run(policy, "that was given");
  }

  private RunResult run(RunPolicy policy, String label) throws AnalysisException {
    Program program = program();
    RunResult result =
        Run.of(program.inTime(program.onModel(policy)).keepingFailures(MAX_FAILURES));
    if (!result.isRun()) {
      throw new AnalysisException(
          program.name() + ": policy " + label + " cannot serve it: " + result.notRunBecause());
    }
    return result;
  }

  /**
   * Ranks about fifty settings of PyTorch's allocator for the program, on Linux. The program's own
   * are among them: they are what {@link Tuning#recorded} has.
   *
   * @throws AnalysisException as {@link #requests}
   */
  public Tuning tune() throws AnalysisException {
    Program program = program();
    return Tuning.run(
        program,
        TuningGrid.of(program, Platform.LINUX, TuningGrid.Fineness.USUAL),
        Platform.LINUX,
        (_, _) -> {});
  }

  /**
   * The memory at the fullest moment of the highest reservation.
   *
   * @throws AnalysisException as {@link #requests}
   */
  public MemoryMoment peak() throws AnalysisException {
    return at(MomentQuery.of(MomentQuery.Kind.PEAK_RESERVED)).orElseThrow();
  }

  /**
   * The memory at a moment, under PyTorch's caching allocator.
   *
   * @return empty where the program has no such moment, such as a failed request
   * @throws AnalysisException as {@link #requests}
   */
  public synchronized Optional<MemoryMoment> at(MomentQuery moment) throws AnalysisException {
    Survey known = survey();
    return MomentFinder.at(known.landmarks, moment, known.origins, Progress.NONE);
  }

  /**
   * Who holds the memory of a moment.
   *
   * @param moment of this program
   * @param by what the blocks of a group share
   * @throws AnalysisException as {@link #requests}
   */
  public synchronized LiveSet holders(MemoryMoment moment, LiveSet.By by) throws AnalysisException {
    return LiveSet.of(moment, survey().origins, by, StackLabels.DEFAULT_FRAMES);
  }

  /** Finds the moments, once. */
  private Survey survey() throws AnalysisException {
    if (survey == null) {
      Program program = program();
      survey =
          new Survey(
              MomentFinder.survey(program, Progress.NONE),
              Origins.of(program.input().trace(), program.input().device()));
    }
    return survey;
  }

  private Program program() throws AnalysisException {
    try {
      return source.under(conditions);
    } catch (ProgramException e) {
      throw new AnalysisException(String.valueOf(e.getMessage()), e);
    }
  }

  private static PyTorchVersion releaseOf(String release) throws AnalysisException {
    try {
      return PyTorchVersion.of(release);
    } catch (IllegalArgumentException e) {
      throw new AnalysisException(e.getMessage(), e);
    }
  }

  /** The name as it was given. */
  @Override
  public String toString() {
    return source.trace().name();
  }
}
