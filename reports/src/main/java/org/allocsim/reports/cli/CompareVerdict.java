package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.allocsim.reports.advice.Demand;
import org.allocsim.reports.html.Verdict;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.source.DeviceTrace;

/** What a comparison comes to, in a sentence. */
final class CompareVerdict {
  private static final String CONF = "conf";

  /** Savings below a hundredth of the peak are no reason to change anything. */
  private static final long STEPS_OF_PEAK = 100;

  private final List<RunResult> results;
  private final Optional<RunResult> recorded;
  private final Optional<RunResult> best;
  private final PyTorchVersion version;
  private final long neededBytes;
  private final long mostBytes;

  private CompareVerdict(CompareTable table, PyTorchVersion version) {
    this.version = version;
    List<RunResult> ranked = table.results();
    DeviceTrace input = table.input();
    String recordedConf = input.conf();
    neededBytes =
        Demand.of(input.trace(), input.device(), AllocatorConfig.DEFAULT).peakRequestedBytes();
    mostBytes = table.mostBytes();
    results = ranked.stream().filter(RunResult::isRun).toList();
    List<RunResult> settings = results.stream().filter(CompareVerdict::isPyTorch).toList();
    recorded =
        settings.stream()
            .filter(each -> conf(each).equals(recordedConf == null ? "" : recordedConf))
            .findFirst();
    best = settings.stream().filter(RunResult::passes).findFirst();
  }

  /** The verdict on a table. */
  static Verdict of(CompareTable table, PyTorchVersion version) {
    return new CompareVerdict(table, version).make();
  }

  private static boolean isPyTorch(RunResult result) {
    return result.choice().provider().spec().id().equals(CompareCommand.PYTORCH);
  }

  private static String conf(RunResult result) {
    return result.choice().options().getOrDefault(CONF, "");
  }

  private Verdict make() {
    if (results.isEmpty()) {
      return new Verdict(
          Verdict.Tone.NEUTRAL, "None of the allocators can serve this trace.", List.of(), null);
    }
    if (neededBytes > mostBytes) {
      return hopeless();
    }
    if (recorded.isEmpty()) {
      return withoutRecorded();
    }
    RunResult now = recorded.get();
    if (best.isEmpty()) {
      return new Verdict(
          Verdict.Tone.BAD,
          "Out of memory under every PyTorch setting that was compared; " + failure(now) + ".",
          details(null),
          null);
    }
    RunResult then = best.get();
    if (!now.passes()) {
      return new Verdict(
          Verdict.Tone.GOOD,
          "Set "
              + ConfText.name(conf(then))
              + ": every request is served with "
              + ByteFormat.human(then.peakReservedBytes())
              + " reserved at most; under "
              + ConfText.name(conf(now))
              + " "
              + failure(now)
              + ".",
          details(then),
          ConfText.paste(conf(then), version));
    }
    long savedBytes = now.peakReservedBytes() - then.peakReservedBytes();
    if (savedBytes <= now.peakReservedBytes() / STEPS_OF_PEAK) {
      return new Verdict(
          Verdict.Tone.NEUTRAL,
          "Keep "
              + ConfText.name(conf(now))
              + ": no setting that was compared lowers its peak of "
              + ByteFormat.human(now.peakReservedBytes())
              + " by more than 1 %.",
          details(now),
          ConfText.paste(conf(now), version));
    }
    return new Verdict(
        Verdict.Tone.GOOD,
        "Set "
            + ConfText.name(conf(then))
            + ": PyTorch reserves "
            + ByteFormat.human(then.peakReservedBytes())
            + " at most instead of "
            + ByteFormat.human(now.peakReservedBytes())
            + ", "
            + Numbers.share(savedBytes, now.peakReservedBytes())
            + " less.",
        details(then),
        ConfText.paste(conf(then), version));
  }

  /** No allocator serves a program that holds more than there is. */
  private Verdict hopeless() {
    return new Verdict(
        Verdict.Tone.BAD,
        "No allocator can serve this program: it holds "
            + ByteFormat.human(neededBytes)
            + " at its peak, and there are "
            + ByteFormat.human(mostBytes)
            + ".",
        details(null),
        null);
  }

  private Verdict withoutRecorded() {
    RunResult first = results.getFirst();
    RunResult winner =
        results.stream().filter(CompareVerdict::isAllocator).findFirst().orElse(first);
    if (!winner.passes()) {
      return new Verdict(
          Verdict.Tone.BAD,
          "Out of memory under every allocator that was compared; with "
              + winner.choice().label()
              + " "
              + failure(winner)
              + ".",
          details(null),
          null);
    }
    return new Verdict(
        Verdict.Tone.NEUTRAL,
        winner.choice().label()
            + " reserves the least: "
            + ByteFormat.human(winner.peakReservedBytes())
            + " at most, for "
            + ByteFormat.human(winner.peakRequestedBytes())
            + " that the program asks for.",
        details(winner),
        null);
  }

  private static boolean isAllocator(RunResult result) {
    return result.choice().provider().spec().kind() == PolicySpec.Kind.ONLINE;
  }

  private static String failure(RunResult result) {
    FailedRequest first = result.failures().getFirst();
    return "request "
        + Numbers.count(first.requestIndex())
        + " for "
        + ByteFormat.human(first.requestedBytes())
        + " fails";
  }

  /** Facts around a result, which may be null. */
  private List<String> details(RunResult chosen) {
    List<String> details = new ArrayList<>();
    details.add("The program itself holds " + Numbers.bytes(neededBytes) + " at its peak.");
    if (chosen != null) {
      details.add(
          "When most is reserved, "
              + ByteFormat.human(chosen.atPeak().internalBytes())
              + " goes to rounding and "
              + ByteFormat.human(chosen.atPeak().externalBytes())
              + " is cached and not in use.");
    }
    results.stream()
        .filter(CompareVerdict::isAllocator)
        .filter(RunResult::passes)
        .min(Comparator.comparingLong(RunResult::peakReservedBytes))
        .filter(each -> !each.equals(chosen))
        .ifPresent(each ->
            details.add(
                "Of all allocators that were compared, "
                    + each.choice().label()
                    + " reserves the least: "
                    + ByteFormat.human(each.peakReservedBytes())
                    + ", with "
                    + Numbers.duration(each.driverNanos())
                    + " in the driver."));
    long failed = results.stream().filter(each -> !each.passes()).count();
    if (failed > 0) {
      details.add(
          "Out of memory: "
              + Numbers.count(failed)
              + " of "
              + Numbers.count(results.size())
              + " runs.");
    }
    return details;
  }
}
