package org.allocsim.workloads.format.pytorch.derive;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.RecordedFormat;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;

/** PyTorch's memory snapshots, read for their requests. */
public final class SnapshotFormat implements RecordedFormat {
  /** The format's id. */
  public static final String ID = "pytorch-snapshot";

  private static final int PICKLE_PROTOCOL = 0x80;
  private static final int PICKLE_STOP = '.';

  /** One of these is among the first keys of a snapshot, or of the list of its segments. */
  private static final List<String> FIRST_WORDS =
      List.of("segments", "device_traces", "total_size");

  /** A format; the service loader makes it. */
  public SnapshotFormat() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String summary() {
    return "torch.cuda.memory._dump_snapshot(), PyTorch 2.0 to 2.14";
  }

  @Override
  public List<String> extensions() {
    return List.of("pickle", "pkl");
  }

  @Override
  public boolean recognises(FileStart start) {
    return start.byteAt(0) == PICKLE_PROTOCOL;
  }

  /** A pickle that is whole, or long, and has none of the words with which snapshots begin. */
  @Override
  public boolean isOther(FileStart start) {
    boolean isEnough =
        start.length() == FileStart.MAX_BYTES || start.byteAt(start.length() - 1) == PICKLE_STOP;
    return isEnough && FIRST_WORDS.stream().noneMatch(start.text()::contains);
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return requests(SnapshotReader.read(file, progress), ID);
  }

  @Override
  public Content readContent(Path file, Progress progress) throws TraceFormatException {
    return new Recorded(SnapshotReader.read(file, progress), Recorded.NO_CHOICE);
  }

  /**
   * The requests of all devices of a recording, by the rules of the release that it shows, else of
   * the default one.
   *
   * @param format id of the format that the file is of
   * @throws TraceFormatException where it has no history, or the release refuses its settings
   */
  public static TraceFile requests(Snapshot snapshot, String format) throws TraceFormatException {
    snapshot.requireHistory();
    PyTorchVersion shown = snapshot.settings().release();
    PyTorchVersion version = shown == null ? PyTorchVersion.DEFAULT : shown;
    try {
      DerivedRequests requests =
          RequestDerivation.derive(
              snapshot,
              new DerivationOptions(
                  ConfigParser.parseRecorded(snapshot.firstConf(), version).allocator(),
                  version,
                  MemoryLimit.NONE,
                  -1));
      List<String> notes = new ArrayList<>(snapshot.notes());
      for (Inference inference : requests.inferences()) {
        notes.add(
            "device %d: %s: %d (%s)"
                .formatted(
                    inference.device(),
                    inference.subject(),
                    inference.count(),
                    inference.reason()));
      }
      return new TraceFile(snapshot.fileName(), snapshot.sha256(), format, requests.trace(), notes);
    } catch (ConfigException e) {
      throw new TraceFormatException(
          snapshot.fileName(),
          "",
          "PyTorch " + version.id() + " rejects its settings (" + e.getMessage() + ")",
          "replay it with the release that recorded it");
    }
  }
}
