package org.allocsim.reports.question.gpu;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.answer.gpu.CachesAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.Question;
import org.allocsim.reports.wing.CacheRecorder;
import org.allocsim.reports.wing.Wings;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.DriverVersion;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * Do the driver calls of KV caches do on a real GPU what they do on the simulated one?
 *
 * @param gpu number of the GPU, from 0
 * @param profile costs to predict with; null for those of such a GPU
 * @param traffic file of requests
 * @param first how many of them are served; null for all
 * @param model name of the model that is served
 * @param caches names of the caches
 * @param capacityBytes memory of a cache; null for what is usual
 */
public record CachesQuestion(
    int gpu,
    @Nullable DeviceProfile profile,
    Path traffic,
    @Nullable Integer first,
    String model,
    List<String> caches,
    @Nullable Long capacityBytes)
    implements Question<CachesAnswer> {
  @Override
  public CachesAnswer ask(Asked asked) {
    CacheRecorder recorder =
        Wings.cacheRecorder().orElseThrow(() -> Wings.missing("validate cache"));
    asked.mayEndEarly();
    try {
      List<CacheRecorder.Cache> serving = recorder.of(traffic, first, model, caches);
      GpuValidation validation = new GpuValidation(gpu, GpuBounds.NONE, profile);
      CudaDevice.Identity identity = validation.identify();
      validation.warmUp();
      long cacheBytes = capacityBytes == null ? GpuBounds.usualBytes(identity) : capacityBytes;
      List<CachesAnswer.OneCache> made = new ArrayList<>();
      for (CacheRecorder.Cache cache : serving) {
        if (!EarlyEnd.isAsked()) {
          add(cache, validation, identity, cacheBytes, made);
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
          made.getFirst().recording().model(),
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
      CacheRecorder.Cache cache,
      GpuValidation validation,
      CudaDevice.Identity identity,
      long cacheBytes,
      List<CachesAnswer.OneCache> made) {
    CacheRecorder.Recording recording =
        cache.record(GpuValidation.profile(identity, identity.freeBytesAtStart()), cacheBytes);
    if (EarlyEnd.isAsked()) {
      return;
    }
    try {
      made.add(
          new CachesAnswer.OneCache(
              recording, validation.run(recording.calls(), recording.replay())));
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
