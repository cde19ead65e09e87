package org.allocsim.reports.question.serving;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.serving.CacheChoice;
import org.allocsim.analysis.serving.CacheRecording;
import org.allocsim.analysis.serving.ServingComparison;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.analysis.serving.VllmRelease;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.analysis.serving.traffic.TrafficFiles;
import org.allocsim.reports.wing.CacheRecorder;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.model.ServedModel;
import org.allocsim.workloads.model.ServedModels;
import org.jspecify.annotations.Nullable;

/** Caches by the rules of the newest vLLM, with vLLM's usual settings. */
public final class ServedCaches implements CacheRecorder {
  @Override
  public List<Cache> of(Path traffic, @Nullable Integer first, String model, List<String> caches)
      throws TraceFormatException {
    VllmRelease newest = VllmRelease.newest();
    List<CacheChoice> choices =
        caches.stream().map(name -> CacheChoice.named(name, newest)).toList();
    ServedModel served =
        ServedModels.named(model).served(1, ModelShape.HALF_BYTES, ModelShape.HALF_BYTES);
    Traffic all = TrafficFiles.read(traffic, (_, _) -> {});
    Traffic requests = first == null ? all : all.first(first);
    return choices.stream()
        .<Cache>map(cache -> (gpu, bytes) -> record(requests, served, gpu, cache, bytes))
        .toList();
  }

  private static Recording record(
      Traffic traffic, ServedModel model, DeviceProfile gpu, CacheChoice cache, long bytes) {
    CacheRecording recording =
        ServingComparison.record(
            traffic, model, gpu, ServingSettings.usual(model.contextTokens()), cache, bytes);
    return new Recording(
        recording.result().cache().label(),
        model.name(),
        recording.result().served(),
        recording.result().preemptions(),
        recording.calls().count(),
        memory -> recording.calls().replay(recording.layout(), memory));
  }
}
