package org.allocsim.reports.question.gpu;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.serving.CacheChoice;
import org.allocsim.analysis.serving.CacheRecording;
import org.allocsim.analysis.serving.ServingComparison;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.reports.answer.gpu.CachesAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.Question;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.DriverVersion;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.serving.ServedModel;
import org.allocsim.workloads.traffic.Traffic;
import org.allocsim.workloads.traffic.TrafficFiles;
import org.jspecify.annotations.Nullable;

/**
 * Do the driver calls of KV caches do on a real GPU what they do on the simulated one?
 *
 * @param gpu number of the GPU, from 0
 * @param profile costs to predict with; null for those of such a GPU
 * @param traffic file of requests
 * @param first how many of them are served; null for all
 * @param model the model that is served
 * @param caches the caches
 * @param capacityBytes memory of a cache; null for what is usual
 */
public record CachesQuestion(
    int gpu,
    @Nullable DeviceProfile profile,
    Path traffic,
    @Nullable Integer first,
    ServedModel model,
    List<CacheChoice> caches,
    @Nullable Long capacityBytes)
    implements Question<CachesAnswer> {
  @Override
  public CachesAnswer ask(Asked asked) {
    asked.mayEndEarly();
    try {
      Traffic all = TrafficFiles.read(traffic, (_, _) -> {});
      Traffic served = first == null ? all : all.first(first);
      GpuValidation validation = new GpuValidation(gpu, GpuBounds.NONE, profile);
      CudaDevice.Identity identity = validation.identify();
      validation.warmUp();
      long cacheBytes = capacityBytes == null ? GpuBounds.usualBytes(identity) : capacityBytes;
      List<CachesAnswer.OneCache> made = new ArrayList<>();
      for (CacheChoice cache : caches) {
        if (!EarlyEnd.isAsked()) {
          add(cache, served, validation, identity, cacheBytes, made);
        }
      }
      if (made.isEmpty()) {
        throw new CudaException("no cache finished");
      }
      return new CachesAnswer(
          LocalDate.now(ZoneOffset.UTC).toString(),
          DriverVersion.installed(),
          identity,
          String.valueOf(traffic.getFileName()),
          model.name(),
          cacheBytes,
          made);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(e.getMessage());
    } catch (CudaException e) {
      throw GpuFailure.of(e, GpuQuestion.NO_CASE);
    }
  }

  /** Makes the calls of a cache; what a signal ends has no result. */
  private void add(
      CacheChoice cache,
      Traffic served,
      GpuValidation validation,
      CudaDevice.Identity identity,
      long cacheBytes,
      List<CachesAnswer.OneCache> made) {
    CacheRecording recording =
        ServingComparison.record(
            served,
            model,
            GpuValidation.profile(identity, identity.freeBytesAtStart()),
            ServingSettings.usual(model.contextTokens()),
            cache,
            cacheBytes);
    if (EarlyEnd.isAsked()) {
      return;
    }
    try {
      made.add(
          new CachesAnswer.OneCache(
              recording, validation.run(recording.layout(), recording.calls())));
    } catch (CudaException e) {
      if (!EarlyEnd.isAsked()) {
        throw e;
      }
    }
  }

  @Override
  public Document<?> document(CachesAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(CachesAnswer answer) {
    return answer.isExact();
  }
}
