package org.allocsim.analysis.prediction;

import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;

/**
 * The requests of one recorded run replayed under the settings and the limit of another.
 *
 * @param modelled with the addresses of the simulated device
 * @param rowsAtPlace leading rows of the target that were predicted, each at its place
 * @param difference the first other row, empty without one
 * @param followed rows of the target that come out with the addresses that its driver gave
 * @param driverOom the first failed request with those addresses
 */
record Prediction(
    RecordedRun source,
    RecordedRun target,
    RunResult modelled,
    int rowsAtPlace,
    String difference,
    int followed,
    Optional<FailedRequest> driverOom) {

  static Prediction of(RecordedRun source, RecordedRun target) throws ConfigException {
    Scenario scenario =
        Scenario.of(
            target.conf(),
            PyTorchVersion.V2_11,
            target.limitBytes(),
            DeviceProfiles.defaultProfile().withHistory(source.addressHistory()));
    EffectComparison comparison = new EffectComparison(target.effects());
    RunResult modelled =
        Run.of(
            scenario.setup(source.trace(), 0, AfterOom.CONTINUE), RunObserver.hearing(comparison));
    EffectFollower follower = new EffectFollower(target.effects(), 0);
    RunResult following =
        Run.of(
            new RunSetup(
                source.trace(),
                0,
                RunPolicy.pytorch(scenario.config().allocator(), scenario.version()),
                scenario.limitBytes(),
                new MemorySource.Given(
                    new RecordedDevice(target.effects(), follower::position, target.totalBytes()))),
            RunObserver.hearing(follower));
    return new Prediction(
        source,
        target,
        modelled,
        comparison.rowsEqual(),
        comparison.difference(),
        follower.position(),
        following.firstFailure());
  }

  /**
   * Why the prediction goes another way than the target; empty where it is exact. Whatever no
   * evidence supports is "not explained".
   */
  String explanation() {
    if (difference.isEmpty()) {
      return "";
    }
    if (followed > rowsAtPlace && difference.endsWith("at another place")) {
      // Up to this row both hold the same blocks in the same segments, so that only the order of
      // the segments' addresses can lead to another block; with the driver's addresses it does not.
      return "tie decided by an address" + (isFollowed() ? "" : "; later " + failureAftermath());
    }
    return failureAftermath();
  }

  /** Whether every row comes out with the addresses of the target's driver. */
  boolean isFollowed() {
    return followed == target.effects().count();
  }

  /**
   * The first failed request is the last thing that both programs are known to have asked for
   * alike: where its source was served or failed elsewhere, the requests after it are another
   * program's.
   */
  private String failureAftermath() {
    boolean differently =
        target.hasFailed()
            && rowsAtPlace >= comparableRows()
            && followed >= comparableRows()
            && !isFollowed()
            && !source.asksTheSameAs(target);
    return differently ? "the program went on differently after the OOM" : "not explained";
  }

  /** Number of the target's statistics that were predicted. */
  long valuesEqual() {
    return target.stats().entrySet().stream()
        .filter(entry -> entry.getValue().equals(modelled.stats().get(entry.getKey())))
        .count();
  }

  boolean isPeakEqual() {
    return modelled.peakReservedBytes() == recordedPeakBytes();
  }

  long recordedPeakBytes() {
    return target.stats().get("reserved_bytes.all.peak");
  }

  /** Rows of the target up to its first failed request, or all of them. */
  int comparableRows() {
    for (int row = 0; row < target.effects().count(); row++) {
      if (target.effects().kind(row) == EffectKind.OOM) {
        return row + 1;
      }
    }
    return target.effects().count();
  }

  boolean hasFailures() {
    return !target.messages().isEmpty();
  }

  /** The amounts of an OOM message that are the allocator's; other processes are left out. */
  static List<String> amounts(String message) {
    String text =
        message
            .replaceAll("Process \\d+ has [0-9.]+ \\S+ memory in use\\. ", "")
            .replaceAll("Including non-PyTorch memory, [^.]*\\.\\d+ \\S+ memory in use\\. ", "")
            .replaceAll("of which [0-9.]+ \\S+ is free", "");
    return Pattern.compile("[0-9.]+ (bytes|KiB|MiB|GiB)")
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .toList();
  }

  private boolean isSameFailure(Optional<FailedRequest> failed) {
    return failed.isPresent()
        && failed.get().requestIndex() == target.firstFailure()
        && amounts(failed.get().message()).equals(amounts(target.messages().getFirst()));
  }

  /** Whether the first failed request and the amounts in its message were predicted. */
  boolean isFailureEqual() {
    return isSameFailure(modelled.firstFailure());
  }

  /** The same with the addresses that the target's driver gave. */
  boolean isFailureEqualWithDriverAddresses() {
    return isSameFailure(driverOom);
  }
}
