package org.allocsim.workloads.program.catalog;

import java.util.ArrayDeque;
import java.util.List;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;

/**
 * Where a training's batches come from: a data loader if preparing them takes time, page-locked
 * memory ({@code pin_memory=True}, copies {@code non_blocking=True}) or memory of the ordinary
 * kind. The buffers of a batch go when those of the next have come.
 */
final class Batches {
  private static final String HOST_MILLIS = "batch-host-ms";
  private static final String WORKERS = "loader-workers";
  private static final String PREFETCH = "loader-prefetch";
  private static final String PIN = "pin";
  private static final long NANOS_OF_MILLI = 1_000_000;
  private static final int NO_LOADER = -1;

  private final Device device;
  private final Torch torch;
  private final boolean pins;
  private final int loader;
  private final ArrayDeque<Integer> held = new ArrayDeque<>();
  private int stale;

  Batches(ProgramValues values, Torch torch, long seed) {
    this.torch = torch;
    device = torch.device();
    pins = values.flag(PIN);
    long batchNanos = values.number(HOST_MILLIS, 0) * NANOS_OF_MILLI;
    int workers = values.number(WORKERS, 0);
    int prefetch = values.count(PREFETCH);
    values.require(
        workers == 0 || batchNanos > 0,
        "loader workers would be idle when " + HOST_MILLIS + " is 0");
    values.require(
        (long) workers * prefetch <= 1 << 16, "more than 65536 batches would be" + " prefetched");
    loader =
        batchNanos > 0
            ? device.declareLoader(new Loader(workers, prefetch, batchNanos, 0, seed))
            : NO_LOADER;
  }

  static List<ProgramOption> options() {
    return List.of(
        new ProgramOption(HOST_MILLIS, "0", "host time to prepare a batch, in ms"),
        new ProgramOption(
            WORKERS, "0", "worker processes that prepare batches; 0: the main" + " process"),
        new ProgramOption(PREFETCH, "2", "batches that each worker may prefetch"),
        new ProgramOption(
            PIN, "false", "copy batches asynchronously from page-locked host memory"));
  }

  /** Whether batches come from the host even where the program would draw them on the device. */
  boolean areOnHost() {
    return pins || loader != NO_LOADER;
  }

  /** Takes the next batch, which {@link #toDevice} copies. */
  void next() {
    if (loader != NO_LOADER) {
      device.loadBatch(loader);
    }
    stale = held.size();
  }

  /** Copies a tensor of the batch to the device. */
  Tensor toDevice(DType type, long... sizes) {
    if (!pins) {
      return Elementwise.toDevice(torch, type, false, sizes);
    }
    long bytes = type.bytes();
    for (long size : sizes) {
      bytes = Math.multiplyExact(bytes, size);
    }
    int buffer = device.allocateHost(bytes);
    held.addLast(buffer);
    if (stale > 0) {
      stale--;
      device.freeHost(held.removeFirst());
    }
    Tensor copy = Elementwise.toDevice(torch, type, true, sizes);
    device.useHost(buffer, device.stream());
    return copy;
  }

  /** The training is over. */
  void release() {
    held.forEach(device::freeHost);
    held.clear();
  }
}
