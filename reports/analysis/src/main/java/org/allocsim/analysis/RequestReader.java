package org.allocsim.analysis;

import java.util.Optional;
import org.allocsim.analysis.recording.RecordedGpu;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/** Reads a source, and keeps its last requests: questions in a row mostly need the same. */
final class RequestReader {
  private final TraceSource source;
  private @Nullable ReadingOptions lastOptions;
  private @Nullable OpenedTrace last;

  RequestReader(TraceSource source) {
    this.source = source;
  }

  /** What the user calls it. */
  String name() {
    return source.name();
  }

  /** Settings that it was recorded with; empty where there is no recording. */
  Optional<ParsedConfig> recordedConfig(PyTorchVersion release) throws AnalysisException {
    try {
      return source.recordedConfig(release);
    } catch (TraceFormatException e) {
      throw new AnalysisException(e.getMessage(), e);
    }
  }

  /** The GPU that it shows, else the default one. */
  DeviceProfile recordedGpu() {
    return RecordedGpu.of(source);
  }

  synchronized OpenedTrace read(ReadingOptions options) throws AnalysisException {
    if (last == null || !options.equals(lastOptions)) {
      try {
        last = source.read(options);
      } catch (TraceFormatException e) {
        throw new AnalysisException(e.getMessage(), e);
      }
      lastOptions = options;
    }
    return last;
  }
}
