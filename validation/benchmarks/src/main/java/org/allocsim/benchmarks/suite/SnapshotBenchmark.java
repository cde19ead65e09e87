package org.allocsim.benchmarks.suite;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;
import org.allocsim.workloads.io.Compression;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Reading a PyTorch snapshot from a file that the system has in memory, its digest included. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SnapshotBenchmark {
  /** What is read: {@link BenchmarkPlan#SAMPLE} or the path of a snapshot. */
  @Param(BenchmarkPlan.SAMPLE)
  public String file;

  /** How it is compressed while it is read. */
  @Param({"NONE", "GZIP", "XZ", "ZSTD"})
  public Compression compression;

  private Path folder;
  private Path stored;
  private long plainBytes;
  private long entries;

  /** For JMH. */
  public SnapshotBenchmark() {}

  /** Writes the file with the wanted compression. */
  @Setup
  public void prepare() throws IOException, TraceFormatException {
    folder = Files.createTempDirectory("allocsim-bench-");
    Path plain = folder.resolve("snapshot.pickle");
    plainBytes = Inputs.writePlain(file, plain);
    entries = SnapshotReader.read(plain, Progress.NONE).eventCount();
    stored = plain;
    if (compression != Compression.NONE) {
      stored = folder.resolve("compressed");
      try (OutputStream out =
          compression.encode(new BufferedOutputStream(Files.newOutputStream(stored)))) {
        Files.copy(plain, out);
      }
    }
  }

  /** Removes what was written. */
  @TearDown
  public void remove() throws IOException {
    Files.deleteIfExists(folder.resolve("snapshot.pickle"));
    Files.deleteIfExists(folder.resolve("compressed"));
    Files.delete(folder);
  }

  /** The file's content in columns. */
  @Benchmark
  public Snapshot read(ReadCounts counts) throws TraceFormatException {
    Snapshot snapshot = SnapshotReader.read(stored, Progress.NONE);
    counts.events += entries;
    counts.bytes += plainBytes;
    return snapshot;
  }

  /** The same, and the requests that explain the recorded effects. */
  @Benchmark
  public TraceFile derive(ReadCounts counts) throws TraceFormatException {
    TraceFile read = new SnapshotFormat().read(stored, Progress.NONE);
    counts.events += entries;
    counts.bytes += plainBytes;
    return read;
  }
}
