package org.allocsim.reports.question.moment;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.allocsim.analysis.account.GpuAccount;
import org.allocsim.analysis.account.RecordedSamples;
import org.allocsim.analysis.account.SmiSamples;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.recording.RecordedGpu;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a GPU apart from its allocator; null where it was not given.
 *
 * @param smi samples of nvidia-smi
 * @param notes what the reader should know of them
 * @param pid the program's process id in the samples
 * @param smiIndex index of the GPU in the samples
 * @param totalBytes size of the GPU
 * @param freeBytes free memory of the GPU at the moment
 * @param chosen the GPU that was chosen
 */
public record KnownGpu(
    @Nullable SmiSamples smi,
    List<String> notes,
    @Nullable Long pid,
    @Nullable Integer smiIndex,
    @Nullable Long totalBytes,
    @Nullable Long freeBytes,
    @Nullable DeviceProfile chosen) {
  private static final long UNKNOWN = -1;

  /** What is known of the GPU at a moment. */
  GpuAccount.Gpu at(TraceSource source, ReplayedProgram program, MemoryMoment moment) {
    DeviceProfile profile = chosen != null ? chosen : RecordedGpu.of(source);
    if (smi == null && chosen == null && totalBytes == null) {
      Optional<GpuAccount.Gpu> recorded =
          source
              .snapshot()
              .flatMap(each ->
                  RecordedSamples.at(each, program.device(), moment, profile.contextBytes()));
      if (recorded.isPresent()) {
        return freeBytes == null ? recorded.get() : recorded.get().withFree(freeBytes, "--free");
      }
    }
    SmiSamples.Choice choice =
        moment.kind() == MomentQuery.Kind.END ? SmiSamples.Choice.LAST : SmiSamples.Choice.HIGHEST;
    SmiSamples.GpuSample sample = null;
    long processBytes = UNKNOWN;
    long otherBytes = UNKNOWN;
    if (smi != null) {
      sample = sample(smi, program.device(), choice);
      Map<Long, Long> processes = processes(smi, sample, choice);
      if (smi.hasProcesses()) {
        Long own = ownProcess(processes);
        processBytes = own == null ? UNKNOWN : processes.getOrDefault(own, UNKNOWN);
        otherBytes =
            processes.values().stream().mapToLong(Long::longValue).sum()
                - Math.max(0, processBytes);
      }
    }
    long total = profile.totalBytes();
    String totalSource = "profile " + profile.name() + source(profile);
    if (totalBytes != null) {
      total = totalBytes;
      totalSource = "--total";
    } else if (sample != null && sample.totalBytes() >= 0) {
      total = sample.totalBytes();
      totalSource = "the sample";
    }
    Free known = free(sample, program, moment);
    return new GpuAccount.Gpu(
        total,
        totalSource,
        known.bytes(),
        known.source(),
        sample == null ? UNKNOWN : driverBytes(sample),
        processBytes,
        otherBytes,
        profile.contextBytes(),
        UNKNOWN,
        UNKNOWN,
        "the sample");
  }

  private String source(DeviceProfile profile) {
    if (chosen != null) {
      return "";
    }
    return (profile.equals(DeviceProfiles.defaultProfile())
            ? ", the default"
            : ", the smallest with as much memory as the recording shows")
        + ": name yours with --total, --device or --smi";
  }

  private record Free(long bytes, String source) {}

  private Free free(
      SmiSamples.@Nullable GpuSample sample, ReplayedProgram program, MemoryMoment moment) {
    if (freeBytes != null) {
      return new Free(freeBytes, "--free");
    }
    boolean recorded =
        program.landmarks().map(landmarks -> landmarks.hasRecordedAddresses()).orElse(false);
    if (moment.deviceFreeBytes() >= 0 && recorded) {
      return new Free(moment.deviceFreeBytes(), "the failed request");
    }
    if (sample != null && sample.freeBytes() >= 0) {
      return new Free(sample.freeBytes(), "the sample");
    }
    return new Free(moment.deviceFreeBytes(), "the simulated device, which no other process uses");
  }

  /** Memory kept by the driver: as reported, otherwise what is neither used nor free. */
  private static long driverBytes(SmiSamples.GpuSample sample) {
    if (sample.driverBytes() >= 0) {
      return sample.driverBytes();
    }
    boolean known = sample.totalBytes() >= 0 && sample.usedBytes() >= 0 && sample.freeBytes() >= 0;
    return known ? sample.totalBytes() - sample.usedBytes() - sample.freeBytes() : UNKNOWN;
  }

  private SmiSamples.@Nullable GpuSample sample(
      SmiSamples smi, int deviceIndex, SmiSamples.Choice choice) {
    Set<String> gpus = smi.gpuNames();
    if (gpus.size() <= 1 && smiIndex == null) {
      return smi.gpu("", choice);
    }
    String wanted = Integer.toString(smiIndex == null ? deviceIndex : smiIndex);
    if (!gpus.contains(wanted)) {
      throw Failure.usage(
          "--smi: the samples have no GPU with index "
              + wanted
              + "; sample with --query-gpu=index,... and select one with --smi-index");
    }
    return smi.gpu(wanted, choice);
  }

  private static Map<Long, Long> processes(
      SmiSamples smi, SmiSamples.@Nullable GpuSample sample, SmiSamples.Choice choice) {
    String uuid = sample == null ? "" : sample.uuid();
    if (uuid.isEmpty() && smi.processGpus().size() > 1) {
      throw Failure.usage(
          "--smi: the processes run on several GPUs; also sample the GPU, with"
              + " --query-gpu=index,uuid,memory.total,memory.used,memory.free");
    }
    return smi.processBytes(uuid, choice);
  }

  private @Nullable Long ownProcess(Map<Long, Long> processes) {
    if (pid != null) {
      if (!processes.containsKey(pid)) {
        throw Failure.usage(
            "--pid %s: no such process on the GPU in the samples; choose from %s"
                .formatted(pid, processes.keySet()));
      }
      return pid;
    }
    if (processes.size() > 1) {
      throw Failure.usage(
          "--smi: the samples have "
              + processes.size()
              + " processes on the GPU; select the program's with --pid");
    }
    return processes.isEmpty() ? null : processes.keySet().iterator().next();
  }
}
