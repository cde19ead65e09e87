package org.allocsim.analysis.account;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.SlackSplit;

/**
 * Where the memory of a GPU is, from what the program asked for to what is unexplained. The lines
 * add up to the size of the GPU, to the byte; what is left over is a line of its own and may be
 * negative where samples come from different moments.
 *
 * @param lines the parts in order
 * @param totalBytes size of the GPU
 */
public record GpuAccount(List<Line> lines, long totalBytes) {
  /** What a line stands for. */
  public enum Part {
    REQUESTED("requested"),
    ROUNDING("lost to rounding"),
    CACHED_RELEASABLE("cached, whole free segments"),
    CACHED_STUCK("cached, free parts of segments in use"),
    CACHED_AWAITING("freed, still in use on another stream"),
    CACHED_OTHER_STREAMS("cached for other streams"),
    CACHED_PRIVATE("free in private pools"),
    CONTEXT("driver and context of the process"),
    POOLS("the driver's own pools"),
    COLLECTIVES("NCCL's communicators"),
    LIBRARIES("kernels and libraries of the process"),
    OTHER_PROCESSES("other processes"),
    DRIVER("kept by the driver"),
    FREE("free"),
    UNEXPLAINED("unexplained");

    private final String label;

    Part(String label) {
      this.label = label;
    }

    /** The part in words. */
    public String label() {
      return label;
    }

    /** Whether the part belongs to the memory that the allocator reserved. */
    public boolean isReserved() {
      return compareTo(CONTEXT) < 0;
    }
  }

  /**
   * A part of the GPU.
   *
   * @param part which one
   * @param bytes its size
   * @param source where the figure comes from
   */
  public record Line(Part part, long bytes, String source) {}

  /**
   * What is known of the GPU besides the allocator; −1 where a figure is not known.
   *
   * @param totalBytes size of the GPU
   * @param totalSource where that comes from
   * @param freeBytes free memory
   * @param freeSource where that comes from
   * @param driverBytes memory that the driver keeps for itself
   * @param processBytes everything that the process holds on the GPU
   * @param otherProcessesBytes what other processes hold
   * @param bareContextBytes what a process holds on such a GPU before it allocates
   * @param poolsBytes what the driver's own pools hold of the process
   * @param collectivesBytes what NCCL's communicators hold of it
   * @param sample what the figures of processes come from
   */
  public record Gpu(
      long totalBytes,
      String totalSource,
      long freeBytes,
      String freeSource,
      long driverBytes,
      long processBytes,
      long otherProcessesBytes,
      long bareContextBytes,
      long poolsBytes,
      long collectivesBytes,
      String sample) {
    /** The same where the free memory is known from elsewhere. */
    public Gpu withFree(long bytes, String source) {
      return new Gpu(
          totalBytes,
          totalSource,
          bytes,
          source,
          driverBytes,
          processBytes,
          otherProcessesBytes,
          bareContextBytes,
          poolsBytes,
          collectivesBytes,
          sample);
    }
  }

  /** Keeps its own copy. */
  public GpuAccount {
    lines = List.copyOf(lines);
  }

  /** The account of a GPU at a moment of a program. */
  public static GpuAccount of(MemoryMoment moment, Gpu gpu) {
    List<Line> lines = new ArrayList<>();
    MemoryMoment.Totals bytes = moment.bytes();
    SlackSplit slack = moment.slack();
    lines.add(new Line(Part.REQUESTED, bytes.requestedBytes(), ""));
    lines.add(new Line(Part.ROUNDING, bytes.roundingBytes(), ""));
    lines.add(new Line(Part.CACHED_RELEASABLE, slack.releasableBytes(), ""));
    lines.add(new Line(Part.CACHED_STUCK, slack.stuckBytes(), ""));
    lines.add(new Line(Part.CACHED_AWAITING, slack.awaitingBytes(), ""));
    lines.add(
        new Line(
            Part.CACHED_OTHER_STREAMS, slack.otherReleasableBytes() + slack.otherStuckBytes(), ""));
    lines.add(new Line(Part.CACHED_PRIVATE, slack.privateBytes(), ""));
    addProcess(lines, bytes.reservedBytes(), gpu);
    if (gpu.processBytes() < 0 && moment.collectivesBytes() > 0) {
      lines.add(new Line(Part.COLLECTIVES, moment.collectivesBytes(), "as used by NCCL 2.28.9"));
    }
    if (gpu.otherProcessesBytes() >= 0) {
      lines.add(new Line(Part.OTHER_PROCESSES, gpu.otherProcessesBytes(), gpu.sample()));
    }
    if (gpu.driverBytes() >= 0) {
      lines.add(new Line(Part.DRIVER, gpu.driverBytes(), gpu.sample()));
    }
    if (gpu.freeBytes() >= 0) {
      lines.add(new Line(Part.FREE, gpu.freeBytes(), gpu.freeSource()));
    }
    long known = lines.stream().mapToLong(Line::bytes).sum();
    lines.add(
        new Line(
            Part.UNEXPLAINED,
            gpu.totalBytes() - known,
            gpu.freeBytes() >= 0 ? "" : "includes the unknown free memory: give --free or --smi"));
    return new GpuAccount(lines, gpu.totalBytes());
  }

  /** The process's share beyond the allocator; a sample that holds less is of another moment. */
  private static void addProcess(List<Line> lines, long reservedBytes, Gpu gpu) {
    boolean isSampled = gpu.processBytes() >= reservedBytes;
    // Where only the free memory is known, no more can be left for the process.
    long leftBytes = Long.MAX_VALUE;
    if (isSampled) {
      leftBytes = gpu.processBytes() - reservedBytes;
    } else if (gpu.freeBytes() >= 0) {
      leftBytes = Math.max(0, gpu.totalBytes() - gpu.freeBytes() - reservedBytes);
    }
    String source =
        leftBytes < gpu.bareContextBytes()
            ? isSampled ? gpu.sample() : "the remainder of the GPU"
            : "a bare context on such a GPU";
    boolean isOfAnotherMoment = !isSampled && gpu.processBytes() >= 0;
    lines.add(
        new Line(
            Part.CONTEXT,
            Math.min(gpu.bareContextBytes(), leftBytes),
            isOfAnotherMoment
                ? source + "; the process holds less in the sample than reserved here"
                : source));
    if (!isSampled) {
      return;
    }
    leftBytes -= lines.getLast().bytes();
    leftBytes -= addKnown(lines, Part.POOLS, gpu.poolsBytes(), leftBytes, gpu.sample());
    leftBytes -=
        addKnown(
            lines,
            Part.COLLECTIVES,
            gpu.collectivesBytes(),
            leftBytes,
            "PyTorch queried it at the end of the recording");
    String rest = gpu.sample() + ": the process minus the lines above";
    lines.add(
        new Line(
            Part.LIBRARIES,
            leftBytes,
            gpu.collectivesBytes() < 0 ? rest + "; NCCL's memory, if it has any" : rest));
  }

  /** Adds a part of what is left, if it is known; returns its bytes. */
  private static long addKnown(
      List<Line> lines, Part part, long knownBytes, long leftBytes, String source) {
    if (knownBytes < 0) {
      return 0;
    }
    long bytes = Math.min(knownBytes, leftBytes);
    lines.add(new Line(part, bytes, source));
    return bytes;
  }

  /** Whether the account has a part. */
  public boolean has(Part part) {
    return lines.stream().anyMatch(line -> line.part() == part);
  }

  /** Size of a part; 0 where the account does not have it. */
  public long bytes(Part part) {
    return lines.stream().filter(line -> line.part() == part).mapToLong(Line::bytes).sum();
  }

  /** What the allocator reserved. */
  public long reservedBytes() {
    return lines.stream().filter(line -> line.part().isReserved()).mapToLong(Line::bytes).sum();
  }
}
