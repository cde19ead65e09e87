package org.allocsim.reports.cli.diagnose;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.account.SmiFormatException;
import org.allocsim.analysis.account.SmiSamples;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.cli.option.ShareOrSize;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.moment.KnownGpu;
import org.allocsim.simulator.device.DeviceProfile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say what is known of the GPU besides the allocator. */
final class CardOptions {
  @Option(
      names = "--smi",
      paramLabel = "FILE",
      description =
          "Samples of nvidia-smi --query-gpu or --query-compute-apps with --format=csv; may be"
              + " repeated, once for each. The sample with the most memory in use counts, or with"
              + " --at end the last one.")
  private List<String> smiNames = List.of();

  @Option(
      names = "--pid",
      paramLabel = "N",
      description = "The program's process id in the samples (default: the only one).")
  private Long pid;

  @Option(
      names = "--smi-index",
      paramLabel = "N",
      description =
          "Index of the GPU in the samples (default: the only GPU, otherwise the device index; the"
              + " two differ under CUDA_VISIBLE_DEVICES).",
      converter = TraceOptions.IndexConverter.class)
  private Integer smiIndex;

  @Option(
      names = "--total",
      paramLabel = "SIZE",
      description =
          "Memory size of the GPU (default: from the samples, including those of 'allocsim record',"
              + " otherwise from --device).",
      converter = SizeConverter.class)
  private Long totalBytes;

  @Option(
      names = "--free",
      paramLabel = "SIZE",
      description =
          "Free memory of the GPU at that moment (default: as reported with the failed request,"
              + " otherwise from the samples).",
      converter = ShareOrSize.Converter.class)
  private ShareOrSize free;

  /**
   * Refuses what names one process or GPU where each rank of a job has its own.
   *
   * @throws Failure that says so
   */
  void requireForJob() {
    if (pid != null || smiIndex != null) {
      throw Failure.usage(
          "--pid and --smi-index select the process and GPU of one rank; omit them or give the file"
              + " of one rank");
    }
  }

  /**
   * What is known, with the samples.
   *
   * @param chosen the GPU that was chosen; null where none was
   * @throws Failure where a file holds none
   */
  KnownGpu read(@Nullable DeviceProfile chosen) throws IOException {
    if (smiNames.isEmpty()) {
      return known(null, List.of(), chosen);
    }
    List<String> notes = new ArrayList<>();
    SmiSamples smi = new SmiSamples();
    for (String name : smiNames) {
      try (BufferedReader reader =
          Files.newBufferedReader(Inputs.require(name), StandardCharsets.UTF_8)) {
        smi.read(name, reader);
      } catch (SmiFormatException e) {
        throw new Failure(e.getMessage(), e);
      } catch (MalformedInputException e) {
        throw new Failure(
            name + ": not a text file; give the output of nvidia-smi --format=csv", e);
      }
    }
    if (smi.unreadable() > 0) {
      notes.add(
          Numbers.count(smi.unreadable(), "amount")
              + " of the samples "
              + (smi.unreadable() == 1 ? "is" : "are")
              + " not known to nvidia-smi ([N/A]) and taken as unknown or 0");
    }
    return known(smi, notes, chosen);
  }

  private KnownGpu known(
      @Nullable SmiSamples smi, List<String> notes, @Nullable DeviceProfile chosen) {
    if (pid != null && pid <= 0) {
      throw Failure.usage("--pid " + pid + " is not a process id; give a number above 0");
    }
    if (free != null && free.percent() != null) {
      throw Failure.usage(
          "--free " + free.percent() + "% is a percentage; write a size, such as 300MiB");
    }
    return new KnownGpu(
        smi, notes, pid, smiIndex, totalBytes, free == null ? null : free.bytes(), chosen);
  }
}
