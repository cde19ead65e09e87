package org.allocsim.analysis.program;

import java.util.Optional;
import org.allocsim.analysis.recording.RecordedGpu;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * A trace that programs are opened from. It keeps the last requests: questions in a row mostly need
 * the same. Several threads may ask.
 */
public final class ProgramSource {
  private final TraceSource trace;
  private @Nullable DeviceProfile gpu;
  private @Nullable ReadingOptions lastOptions;
  private @Nullable OpenedTrace last;

  /** Programs of a trace. */
  public ProgramSource(TraceSource trace) {
    this.trace = trace;
  }

  /**
   * The program under conditions.
   *
   * @throws ProgramException as {@link Program#open}
   */
  public Program under(Conditions conditions) throws ProgramException {
    return new Program(this, conditions);
  }

  /** The trace. */
  public TraceSource trace() {
    return trace;
  }

  /** The release that conditions name, else the one that the trace shows, else the newest. */
  PyTorchVersion release(Conditions conditions) {
    return conditions.release() != null ? conditions.release() : trace.defaultOptions().version();
  }

  /**
   * What is known of the recorded run: the limit that conditions name or that the recorded settings
   * have, and the recorded GPU.
   *
   * @throws ProgramException where the recording has no history, or the release refuses its
   *     settings
   */
  public ReadingOptions options(Conditions conditions) throws ProgramException {
    PyTorchVersion release = release(conditions);
    Optional<ParsedConfig> recorded = recordedConfig(release);
    long givenBytes =
        conditions.limit() == null ? MemoryLimit.NONE : conditions.limit().bytesOn(gpu(), release);
    return new ReadingOptions(
        release,
        recorded
            .map(each -> ConfOnDevice.limitBytes(each, release, givenBytes, gpu()))
            .orElse(givenBytes),
        gpu().totalBytes());
  }

  Optional<ParsedConfig> recordedConfig(PyTorchVersion release) throws ProgramException {
    try {
      return trace.recordedConfig(release);
    } catch (TraceFormatException e) {
      throw ProgramException.ofTrace(e);
    }
  }

  /** The GPU that the trace shows, else the default one. */
  synchronized DeviceProfile gpu() {
    if (gpu == null) {
      gpu = RecordedGpu.of(trace);
    }
    return gpu;
  }

  synchronized OpenedTrace read(ReadingOptions options) throws ProgramException {
    if (last == null || !options.equals(lastOptions)) {
      try {
        last = trace.read(options);
      } catch (TraceFormatException e) {
        throw ProgramException.ofTrace(e);
      }
      lastOptions = options;
    }
    return last;
  }
}
