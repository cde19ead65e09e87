package org.allocsim.reports.cli.prove;

import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.serving.CacheKind;
import org.allocsim.analysis.serving.CacheRecording;
import org.allocsim.analysis.serving.ServingComparison;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.reports.answer.validation.CachesAnswer;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.serving.ModelShape;
import org.allocsim.workloads.serving.ServedModel;
import org.allocsim.workloads.serving.ServedModels;
import org.allocsim.workloads.traffic.Traffic;
import org.allocsim.workloads.traffic.TrafficFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The part of {@code validate} that makes the driver calls of caches. */
final class CacheCheck {
  private static final double SHARE = 0.9;

  @Option(
      names = "--cache",
      paramLabel = "NAME,...",
      split = ",",
      description =
          "Serve a file of requests with these caches, as 'allocsim serve' does by default, and"
              + " make their driver calls on the GPU: paged, jenga, vattention, kvcached. Takes"
              + " --model, --first, --capacity (memory of the cache) and --gpu.")
  private @Nullable List<String> names;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description = "With --cache: the model that is served, such as llama-3.1-8b.")
  private @Nullable String model;

  @Option(
      names = "--first",
      paramLabel = "N",
      description = "With --cache: serve the first requests only.")
  private @Nullable Integer first;

  boolean isAsked() {
    return names != null || model != null || first != null;
  }

  /** The caches and the model, before a GPU is looked for. */
  private record Asked(List<CacheKind> kinds, ServedModel model) {}

  private Asked asked() {
    if (names == null || model == null) {
      throw Failure.usage("--cache and --model belong together; give both");
    }
    if (first != null && first < 1) {
      throw Failure.usage("--first takes 1 or more");
    }
    try {
      return new Asked(
          names.stream().map(CacheKind::named).toList(),
          ServedModels.named(model).served(1, ModelShape.HALF_BYTES, ModelShape.HALF_BYTES));
    } catch (IllegalArgumentException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  /**
   * Serves and checks.
   *
   * @param number number of the GPU, from 0
   * @param profile costs to predict with, null for those of such a GPU
   * @param capacityBytes memory for keys and values, null for most of what is free
   */
  CachesAnswer answer(
      Path file, int number, @Nullable DeviceProfile profile, @Nullable Long capacityBytes) {
    Asked asked = asked();
    try {
      Traffic traffic = TrafficFiles.read(file, (_, _) -> {});
      if (first != null) {
        traffic = traffic.first(first);
      }
      ServedModel served = asked.model();
      GpuValidation validation = new GpuValidation(number, GpuBounds.NONE, profile);
      CudaDevice.Identity gpu = validation.identify();
      validation.warmUp();
      long cacheBytes =
          capacityBytes == null ? (long) (gpu.freeBytesAtStart() * SHARE) : capacityBytes;
      ServingSettings settings = ServingSettings.usual(served.contextTokens());
      DeviceProfile device = GpuValidation.profile(gpu, gpu.freeBytesAtStart());
      List<CachesAnswer.OneCache> caches = new ArrayList<>();
      for (CacheKind kind : asked.kinds()) {
        CacheRecording recording =
            ServingComparison.record(traffic, served, device, settings, kind, cacheBytes);
        if (EarlyEnd.isAsked()) {
          break;
        }
        try {
          caches.add(
              new CachesAnswer.OneCache(
                  recording, validation.run(recording.layout(), recording.calls())));
        } catch (CudaException e) {
          if (!EarlyEnd.isAsked()) {
            throw e;
          }
          // What was under way has no result.
        }
      }
      if (caches.isEmpty()) {
        throw new CudaException("no cache was finished");
      }
      return new CachesAnswer(
          LocalDate.now(ZoneOffset.UTC).toString(),
          ValidateCommand.driverVersion(),
          gpu,
          file.getFileName().toString(),
          served.name(),
          cacheBytes,
          caches);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(e.getMessage());
    }
  }
}
