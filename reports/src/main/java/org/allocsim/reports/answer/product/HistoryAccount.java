package org.allocsim.reports.answer.product;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;

/**
 * How much of a program a history holds, and whether it adds up: what existed when it begins and
 * what it allocates and frees come to what the snapshot holds at its end.
 *
 * @param device index of the device
 * @param complete whether the history began before the first allocation
 * @param blocksBefore blocks that existed when it begins, rebuilt from its end
 * @param bytesBefore what the program had asked for of these blocks
 * @param orphanFrees frees of what nothing allocated
 * @param lastBytes requested bytes that are live or await their free after the last entry
 * @param finalBytes the same in the segments of the snapshot
 * @param inferences what was inferred
 */
public record HistoryAccount(
    int device,
    boolean complete,
    long blocksBefore,
    long bytesBefore,
    long orphanFrees,
    long lastBytes,
    long finalBytes,
    List<Inference> inferences) {
  /** Keeps its own copy. */
  public HistoryAccount {
    inferences = List.copyOf(inferences);
  }

  /** The accounts of all devices with a history; none where PyTorch refuses the settings. */
  static List<HistoryAccount> of(Snapshot snapshot) {
    List<HistoryAccount> accounts = new ArrayList<>();
    if (!snapshot.hasHistory()) {
      return accounts;
    }
    DerivedRequests requests;
    PyTorchVersion shown = snapshot.settings().release();
    PyTorchVersion version = shown == null ? PyTorchVersion.DEFAULT : shown;
    try {
      requests =
          RequestDerivation.derive(
              snapshot,
              new DerivationOptions(
                  ConfigParser.parseRecorded(snapshot.firstConf(), version).allocator(),
                  version,
                  MemoryLimit.NONE,
                  DeviceProfiles.defaultProfile().totalBytes()));
    } catch (ConfigException _) {
      return accounts;
    }
    for (int device = 0; device < snapshot.devices().size(); device++) {
      if (snapshot.devices().get(device).effects().count() > 0) {
        accounts.add(of(snapshot, requests, device));
      }
    }
    return accounts;
  }

  private static HistoryAccount of(Snapshot snapshot, DerivedRequests requests, int device) {
    MemoryLayout start = requests.starts().get(device).layout();
    long blocks = 0;
    long before = 0;
    for (int block = 0; block < start.blockCount(); block++) {
      if (start.state(block) != BlockState.INACTIVE) {
        blocks++;
        before += start.requestedBytes(block);
      }
    }
    long last = before;
    EffectLog effects = snapshot.devices().get(device).effects();
    for (int row = 0; row < effects.count(); row++) {
      if (effects.kind(row) == EffectKind.ALLOC) {
        last += effects.bytes(row);
      } else if (effects.kind(row) == EffectKind.FREE_COMPLETED) {
        last -= effects.bytes(row);
      }
    }
    long end = 0;
    for (SnapshotSegment segment : snapshot.segments()) {
      for (int block = 0; segment.device() == device && block < segment.blockCount(); block++) {
        boolean active = segment.blockState(block) != BlockState.INACTIVE;
        end += active ? segment.blockRequestedBytes(block) : 0;
      }
    }
    List<Inference> inferences =
        requests.inferences().stream().filter(each -> each.device() == device).toList();
    long orphans =
        inferences.stream()
            .filter(each -> each.subject().equals(Inference.UNKNOWN_FREES))
            .mapToLong(Inference::count)
            .sum();
    return new HistoryAccount(
        device,
        requests.starts().get(device).complete(),
        blocks,
        before,
        orphans,
        last,
        end,
        inferences);
  }

  /**
   * How far a replay can be trusted: {@code exact} where nothing had to be inferred, else the least
   * certain inference ({@code certain}, {@code likely}, {@code guess}), {@code none} where the
   * history contradicts itself.
   */
  String confidence() {
    if (orphanFrees > 0 || lastBytes != finalBytes) {
      return "none";
    }
    if (complete && inferences.isEmpty()) {
      return "exact";
    }
    return inferences.stream()
        .map(Inference::confidence)
        .max(Enum::compareTo)
        .map(lowest -> lowest.toString().toLowerCase(Locale.ROOT))
        .orElse("certain");
  }

  /** What people read. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        complete
            ? "history: complete from the first allocation"
            : "history: begins when "
                + Numbers.count(blocksBefore, "block")
                + " of "
                + ByteFormat.human(bytesBefore)
                + " existed already, rebuilt from the end");
    String last =
        lastBytes < 0
            ? "more freed than allocated, by " + Numbers.bytes(-lastBytes)
            : "live after the last entry: " + Numbers.bytes(lastBytes);
    lines.add(
        last
            + (lastBytes == finalBytes
                ? ", as in the snapshot's segments"
                : ", but " + Numbers.bytes(finalBytes) + " in the snapshot's segments"));
    lines.add(
        Numbers.count(orphanFrees, "free")
            + " without a matching allocation; confidence of a replay: "
            + confidence());
    return lines;
  }
}
