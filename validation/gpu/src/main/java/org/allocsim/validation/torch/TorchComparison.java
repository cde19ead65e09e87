package org.allocsim.validation.torch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.validation.fidelity.DeviceVerification;
import org.allocsim.validation.fidelity.SnapshotVerifier;
import org.allocsim.validation.fidelity.VerificationOptions;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;

/**
 * Compares what PyTorch did with the simulation, three times: with what the requests alone let
 * expect; with the same requests where the driver gives the recorded addresses; and with what is
 * derived from the recorded snapshot, without the requests.
 */
public final class TorchComparison {
  private static final Pattern PROCESSES =
      Pattern.compile(
          "(?:(?:Process [0-9]+ has|Including non-PyTorch memory, this process has) [0-9.]+"
              + " [A-Za-z]+ memory in use\\. )+");

  /** Counters of what leaves no event of its own (PyTorch 2.11). */
  private static final Set<String> UNRECORDED = Set.of("num_alloc_retries", "num_sync_all_streams");

  private static final int MAX_DIFFERENCES = 10;

  private final TorchJob job;
  private final AllocatorConfig config;
  private final PyTorchVersion version;
  private final int gpu;
  private final TorchRecording recording;
  private final Snapshot snapshot;
  private final int device;

  private TorchComparison(
      TorchJob job,
      AllocatorConfig config,
      PyTorchVersion version,
      int gpu,
      TorchRecording recording,
      Snapshot snapshot) {
    this.job = job;
    this.config = config;
    this.version = version;
    this.gpu = gpu;
    this.recording = recording;
    this.snapshot = snapshot;
    device = Math.min(gpu, snapshot.devices().size() - 1);
  }

  /**
   * Compares the files that a job left.
   *
   * @param config the settings that the process was started with
   * @param conf their text
   * @throws IOException where the files cannot be read or are not of that run
   */
  public static TorchVerdict of(
      TorchJob job,
      AllocatorConfig config,
      String conf,
      PyTorchVersion version,
      TorchMachine machine,
      int gpu,
      Path snapshotFile,
      Path sideFile)
      throws IOException {
    TorchRecording recording = TorchRecording.read(sideFile);
    Snapshot snapshot;
    try {
      snapshot = SnapshotReader.read(snapshotFile, (_, _) -> {});
    } catch (TraceFormatException e) {
      throw new IOException(e.getMessage(), e);
    }
    if (snapshot.settings().present() && !snapshot.settings().conf().equals(conf)) {
      throw new IOException(
          "PyTorch ran with the settings \"" + snapshot.settings().conf() + "\" instead");
    }
    return new TorchComparison(job, config, version, gpu, recording, snapshot).compare(machine);
  }

  private TorchVerdict compare(TorchMachine machine) {
    DeviceProfile profile =
        GpuValidation.profile(
            new CudaDevice.Identity(
                machine.device(), 0, machine.totalBytes(), recording.freeBytesAtStart()),
            recording.freeBytesAtStart());
    EffectLog recorded =
        snapshot.devices().isEmpty() ? new EffectLog() : snapshot.devices().get(device).effects();
    int[] streams = streams();
    Prediction.Case run =
        new Prediction.Case(
            job.requests().endingUses(recording.forcedWaits()),
            config,
            version,
            job.limitBytes(),
            gpu);
    Prediction prediction;
    PredictedRows rows;
    if (machine.mockDriver()) {
      prediction = Prediction.onMockDriver(run, recording.totalBytes());
      rows = PredictedRows.of(prediction.effects(), recorded, streams);
    } else {
      prediction = Prediction.of(run, profile, recording.makesStreams());
      rows = PredictedRows.of(prediction.effects(), recorded, streams);
      DeviceProfile learned = prediction.learn(recorded, rows.equal());
      if (!learned.equals(profile)) {
        prediction = Prediction.of(run, learned, recording.makesStreams());
        rows = PredictedRows.of(prediction.effects(), recorded, streams);
      }
    }
    Prediction repetition = Prediction.following(run, recorded, recording.totalBytes());
    PredictedRows repeated = PredictedRows.of(repetition.effects(), recorded, streams);
    DeviceVerification verification = verify();
    List<String> failures = new ArrayList<>();
    List<String> predictedStatistics = new ArrayList<>();
    List<String> repeatedStatistics = new ArrayList<>();
    List<String> verifiedStatistics = new ArrayList<>();
    int compared = 0;
    if (rows.hasSameActions()) {
      compareFailures(prediction, recorded, failures);
      boolean sameOrder = rows.exact() && !rows.reordered();
      compareStatistics(
          prediction.statistics(),
          key -> sameOrder || !dependsOnOrder(key),
          "predicted",
          predictedStatistics);
    }
    if (repeated.hasSameActions()) {
      compared =
          compareStatistics(repetition.statistics(), _ -> true, "simulated", repeatedStatistics);
    }
    if (verification.exact()) {
      // An empty_cache() and a retry after a refusal release the same segments: what was derived
      // may have one for the other. Repeating the requests compares these counters.
      compareStatistics(
          verification.statistics(),
          key -> !UNRECORDED.contains(key),
          "simulated",
          verifiedStatistics);
    }
    return new TorchVerdict(
        rows,
        repeated,
        verification,
        recording.failures().size(),
        failures,
        compared,
        predictedStatistics,
        repeatedStatistics,
        verifiedStatistics,
        recording.forcedWaits().size());
  }

  /** What neighbouring free blocks add up to on the way depends on which was free first. */
  private static boolean dependsOnOrder(String key) {
    return key.startsWith("inactive_split") && !key.endsWith(".current");
  }

  /** Where nothing at all was recorded there is nothing to follow, and nothing may be missing. */
  private DeviceVerification verify() {
    List<DeviceVerification> all =
        SnapshotVerifier.verify(
            snapshot,
            new VerificationOptions(config, version, job.limitBytes(), recording.totalBytes()),
            (_, _) -> {});
    return all.stream()
        .filter(each -> each.device() == device)
        .findFirst()
        .orElseGet(() ->
            new DeviceVerification(
                device,
                0,
                0,
                java.util.Optional.empty(),
                List.of(),
                new java.util.TreeMap<>(),
                true,
                List.of()));
  }

  /** Numbers of the trace's streams by those of the snapshot. */
  private int[] streams() {
    long[] handles = snapshot.streamHandles();
    int[] numbers = new int[handles.length];
    Arrays.setAll(numbers, number -> recording.streams().indexOf(handles[number]));
    return numbers;
  }

  private void compareFailures(
      Prediction prediction, EffectLog recorded, List<String> differences) {
    List<Prediction.Failure> expected = prediction.failures();
    List<TorchRecording.Failure> actual = recording.failures();
    if (expected.size() != actual.size()) {
      differences.add("%d requests failed, predicted %d".formatted(actual.size(), expected.size()));
    }
    for (int i = 0; i < Math.min(expected.size(), actual.size()); i++) {
      Prediction.Failure failure = expected.get(i);
      String message = actual.get(i).message();
      if (failure.allocation() != actual.get(i).allocation()) {
        differences.add(
            "allocation %d failed, predicted %d"
                .formatted(actual.get(i).allocation(), failure.allocation()));
      }
      Matcher processes = PROCESSES.matcher(message);
      String text =
          failure.text(
              failure.row() < 0 ? 0 : recorded.address(failure.row()),
              processes.find() ? processes.group() : "",
              OutOfMemoryMessage.Template.of(version, config.expandableSegments()));
      if (!text.equals(message)) {
        differences.add("message \"" + message + "\", predicted \"" + text + '"');
      }
      if (differences.size() >= MAX_DIFFERENCES) {
        return;
      }
    }
  }

  private int compareStatistics(
      SortedMap<String, Long> simulated,
      Predicate<String> counts,
      String what,
      List<String> differences) {
    int compared = 0;
    for (Map.Entry<String, Long> entry : recording.statistics().entrySet()) {
      Long value = simulated.get(entry.getKey());
      if (value == null || !counts.test(entry.getKey())) {
        continue;
      }
      compared++;
      if (!value.equals(entry.getValue()) && differences.size() < MAX_DIFFERENCES) {
        differences.add(
            "%s: recorded %d, %s %d".formatted(entry.getKey(), entry.getValue(), what, value));
      }
    }
    return compared;
  }
}
