package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.allocsim.reports.answer.job.VerifyJob;
import org.allocsim.reports.answer.validation.VerifiedDevice;
import org.allocsim.reports.answer.validation.VerifyAnswer;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.SavedStats;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.validation.fidelity.DeviceVerification;
import org.allocsim.validation.fidelity.SnapshotVerifier;
import org.allocsim.validation.fidelity.VerificationOptions;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.ReservedRanges;
import org.allocsim.workloads.source.TraceSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim verify}: is the simulation event-exact on these recordings? */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Checks that the simulation repeats recordings exactly.",
      "Replays each snapshot and compares every event with the recorded one (action, address,"
          + " size,",
      "stream), then the segments and blocks at the end. The exit code is 3 if any differs."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim verify snapshot.pickle",
      "  allocsim verify snapshot.pickle --memory-fraction 0.9 --stats stats.json",
      "  allocsim verify *.pickle --json verdict.json",
      "  allocsim verify ranks/",
      "",
      "stats.json comes from the recorded program:",
      "  json.dump(torch.cuda.memory_stats(), open(\"stats.json\", \"w\"))"
    })
final class VerifyCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "SNAPSHOT",
      arity = "1..*",
      description = "Snapshots to verify, or a folder with one for each rank of a job.")
  private List<String> names;

  @Mixin private DeviceOptions deviceOptions;

  @Option(
      names = "--stats",
      paramLabel = "FILE",
      description =
          "Compare the statistics at the end with these: torch.cuda.memory_stats() saved as JSON,"
              + " flat or under the key \"stats\". Goes with one snapshot; applies to its first"
              + " device.")
  private String statsName;

  @Mixin private OutputOptions outputOptions;

  private final List<VerifiedDevice> verified = new ArrayList<>();
  private final List<VerifyAnswer.Unreadable> unreadable = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    if (statsName != null && names.size() > 1) {
      throw Failure.usage("--stats goes with one snapshot; verify the others without it");
    }
    if (names.stream().anyMatch(Jobs::isFolder)) {
      return verifyJob();
    }
    try (DocumentOutputs outputs =
        outputOptions.open(names.stream().map(Path::of).toArray(Path[]::new))) {
      SortedMap<String, Long> saved = statsName == null ? new TreeMap<>() : readStats();
      for (String name : names) {
        verify(name, saved);
      }
      VerifyAnswer answer = new VerifyAnswer(verified, unreadable, deviceOptions.isLimitGiven());
      outputs.write(answer.document());
      return !unreadable.isEmpty()
          ? ExitCodes.FAILED
          : answer.isExact() ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  private int verifyJob() throws IOException {
    if (names.size() > 1 || statsName != null) {
      throw Failure.usage(
          "verify takes a job's folder alone; leave out "
              + (statsName == null ? "the other names" : "--stats"));
    }
    return JobRun.of(outputOptions, name -> devices(name, new TreeMap<>()))
        .run(names.getFirst(), new VerifyJob());
  }

  private SortedMap<String, Long> readStats() {
    Path file = Inputs.require(statsName);
    try (InputStream stream = Files.newInputStream(file)) {
      return SavedStats.read(stream);
    } catch (IOException e) {
      throw new Failure(
          "%s: %s; save torch.cuda.memory_stats() with json.dump() and give that file"
              .formatted(statsName, e.getMessage()),
          e);
    }
  }

  /** Verifies one file; one that cannot be read does not keep the others from being verified. */
  private void verify(String name, SortedMap<String, Long> saved) {
    try {
      verified.addAll(devices(name, saved));
    } catch (Failure failure) {
      if (names.size() == 1 || failure.exitCode() != ExitCodes.FAILED) {
        throw failure;
      }
      FailureReport.print(failure, spec.commandLine().getErr(), false);
      unreadable.add(new VerifyAnswer.Unreadable(name, failure.getMessage()));
    }
  }

  private List<VerifiedDevice> devices(String name, SortedMap<String, Long> saved) {
    long startNanos = System.nanoTime();
    TraceSource source = Traces.open(name, null);
    deviceOptions.release().follow(source);
    Snapshot snapshot =
        source
            .snapshot()
            .orElseThrow(() ->
                new Failure(
                    name
                        + ": it holds requests and no recording to compare a replay with; give a"
                        + " snapshot, or one that 'allocsim convert' wrote as JSON Lines"));
    ParsedConfig config = Settings.recorded(source, deviceOptions.torchVersion());
    VerificationOptions options =
        new VerificationOptions(
            config.allocator(),
            deviceOptions.torchVersion(),
            deviceOptions.limitBytes(config, source),
            ReservedRanges.totalBytes(snapshot).orElse(deviceOptions.profile().totalBytes()));
    List<DeviceVerification> devices;
    try (ProgressMeter progress = ProgressMeter.ofEvents("verifying")) {
      devices = SnapshotVerifier.verify(snapshot, options, progress::update);
    }
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    devices.forEach(device -> Traces.refuseImpossible(snapshot, device.inferences()));
    List<VerifiedDevice> results = new ArrayList<>();
    for (DeviceVerification device : devices) {
      results.add(
          VerifiedDevice.of(
              name, snapshot, device, results.isEmpty() ? saved : new TreeMap<>(), seconds));
    }
    return results;
  }
}
