package org.allocsim.reports.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.allocsim.analysis.account.GpuAccount;
import org.allocsim.analysis.account.RecordedSamples;
import org.allocsim.analysis.account.SmiFormatException;
import org.allocsim.analysis.account.SmiSamples;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.recording.RecordedGpu;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.ShareOrSize;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say what is known of the GPU besides the allocator. */
final class CardOptions {
  private static final long UNKNOWN = -1;

  @Option(
      names = "--smi",
      paramLabel = "FILE",
      description =
          "Samples of nvidia-smi --query-gpu or --query-compute-apps with --format=csv; may be"
              + " given for each. Of several samples the one with the most memory in use counts, or"
              + " with --at end the last one.")
  private List<String> smiNames = List.of();

  @Option(
      names = "--pid",
      paramLabel = "N",
      description = "The program's process id in the samples (default: the only process there).")
  private Long pid;

  @Option(
      names = "--smi-index",
      paramLabel = "N",
      description =
          "Index of the GPU in the samples (default: the only GPU there, else the device index;"
              + " CUDA_VISIBLE_DEVICES makes them differ).")
  private Integer smiIndex;

  @Option(
      names = "--total",
      paramLabel = "SIZE",
      description =
          "Size of the GPU (default: from the samples, also those of 'allocsim record', else of the"
              + " --device).",
      converter = SizeConverter.class)
  private Long totalBytes;

  @Option(
      names = "--free",
      paramLabel = "SIZE",
      description =
          "Free memory of the GPU at the moment (default: what was reported to the failed request,"
              + " else from the samples).",
      converter = ShareOrSize.Converter.class)
  private ShareOrSize free;

  /**
   * Samples that were read.
   *
   * @param smi null where none were given
   * @param notes what the reader should know of them
   */
  public record Samples(@Nullable SmiSamples smi, List<String> notes) {}

  /**
   * Refuses what names one process or GPU where each rank of a job has its own.
   *
   * @throws Failure that says so
   */
  public void requireForJob() {
    if (pid != null || smiIndex != null) {
      throw Failure.usage(
          "--pid and --smi-index name the process and the GPU of one rank; leave them out, or give"
              + " the file of one rank");
    }
  }

  /**
   * Reads the samples.
   *
   * @throws Failure where a file holds none
   */
  public Samples read() throws IOException {
    List<String> notes = new ArrayList<>();
    if (smiNames.isEmpty()) {
      return new Samples(null, notes);
    }
    SmiSamples smi = new SmiSamples();
    for (String name : smiNames) {
      try (BufferedReader reader =
          Files.newBufferedReader(Inputs.require(name), StandardCharsets.UTF_8)) {
        smi.read(name, reader);
      } catch (SmiFormatException e) {
        throw new Failure(e.getMessage(), e);
      } catch (MalformedInputException e) {
        throw new Failure(name + ": is no text; give what nvidia-smi --format=csv writes", e);
      }
    }
    if (smi.unreadable() > 0) {
      notes.add(
          Numbers.count(smi.unreadable(), "amount")
              + " of the samples "
              + (smi.unreadable() == 1 ? "is" : "are")
              + " not known to nvidia-smi ([N/A]) and taken as unknown or 0");
    }
    return new Samples(smi, notes);
  }

  /** What is known of the GPU at a moment. */
  public GpuAccount.Gpu gpu(
      Samples samples, ReplayedProgram program, MemoryMoment moment, DeviceOptions device) {
    DeviceProfile profile =
        device.isDeviceGiven() ? device.profile() : RecordedGpu.of(program.source());
    if (samples.smi() == null && !device.isDeviceGiven() && totalBytes == null) {
      Optional<GpuAccount.Gpu> recorded =
          program
              .source()
              .snapshot()
              .flatMap(each ->
                  RecordedSamples.at(each, program.device(), moment, profile.contextBytes()));
      if (recorded.isPresent()) {
        return free == null ? recorded.get() : recorded.get().withFree(freeBytes(), "--free");
      }
    }
    SmiSamples.Choice choice =
        moment.kind() == MomentQuery.Kind.END ? SmiSamples.Choice.LAST : SmiSamples.Choice.HIGHEST;
    SmiSamples.GpuSample sample = null;
    long processBytes = UNKNOWN;
    long otherBytes = UNKNOWN;
    if (samples.smi() != null) {
      sample = sample(samples.smi(), program.device(), choice);
      Map<Long, Long> processes = processes(samples.smi(), sample, choice);
      if (samples.smi().hasProcesses()) {
        Long own = ownProcess(processes);
        processBytes = own == null ? UNKNOWN : processes.getOrDefault(own, UNKNOWN);
        otherBytes =
            processes.values().stream().mapToLong(Long::longValue).sum()
                - Math.max(0, processBytes);
      }
    }
    long total = profile.totalBytes();
    String totalSource = "profile " + profile.name() + source(device, profile);
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

  private static String source(DeviceOptions device, DeviceProfile profile) {
    if (device.isDeviceGiven()) {
      return "";
    }
    return (profile.equals(DeviceProfiles.defaultProfile())
            ? ", the default"
            : ", the smallest that had as much as the recording shows")
        + ": name yours with --total, --device or --smi";
  }

  private record Free(long bytes, String source) {}

  private Free free(
      SmiSamples.@Nullable GpuSample sample, ReplayedProgram program, MemoryMoment moment) {
    if (free != null) {
      return new Free(freeBytes(), "--free");
    }
    boolean recorded =
        program.landmarks().map(landmarks -> landmarks.hasRecordedAddresses()).orElse(false);
    if (moment.deviceFreeBytes() >= 0 && recorded) {
      return new Free(moment.deviceFreeBytes(), "the failed request");
    }
    if (sample != null && sample.freeBytes() >= 0) {
      return new Free(sample.freeBytes(), "the sample");
    }
    return new Free(moment.deviceFreeBytes(), "the simulated device, which nobody else uses");
  }

  private long freeBytes() {
    if (free.percent() != null) {
      throw Failure.usage(
          "--free " + free.percent() + "% is a share; write a size, such as 300MiB");
    }
    return free.bytes();
  }

  /** What the driver keeps: reported by it, or what is neither used nor free. */
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
          "--smi: the samples have no GPU of index "
              + wanted
              + "; sample with --query-gpu=index,... and choose one with --smi-index");
    }
    return smi.gpu(wanted, choice);
  }

  private static Map<Long, Long> processes(
      SmiSamples smi, SmiSamples.@Nullable GpuSample sample, SmiSamples.Choice choice) {
    String uuid = sample == null ? "" : sample.uuid();
    if (uuid.isEmpty() && smi.processGpus().size() > 1) {
      throw Failure.usage(
          "--smi: the processes are on several GPUs; sample the GPU too, with"
              + " --query-gpu=index,uuid,memory.total,memory.used,memory.free");
    }
    return smi.processBytes(uuid, choice);
  }

  private @Nullable Long ownProcess(Map<Long, Long> processes) {
    if (pid != null) {
      if (!processes.containsKey(pid)) {
        throw Failure.usage(
            "--pid %s: the samples have no such process on the GPU; they have %s"
                .formatted(pid, processes.keySet()));
      }
      return pid;
    }
    if (processes.size() > 1) {
      throw Failure.usage(
          "--smi: the samples have "
              + processes.size()
              + " processes on the GPU; say with --pid which one the program is");
    }
    return processes.isEmpty() ? null : processes.keySet().iterator().next();
  }
}
