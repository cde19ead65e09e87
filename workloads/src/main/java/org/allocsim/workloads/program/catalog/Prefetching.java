package org.allocsim.workloads.program.catalog;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.Convolutions;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** Batches that are copied to the GPU on a stream of their own. */
public final class Prefetching extends DescribedProgram {
  private static final long MAIN_STREAM = 0;
  private static final long COPY_STREAM = 1;
  private static final long NANOS_OF_MICRO = 1_000;

  /** A program; the service loader makes it. */
  public Prefetching() {
    super(
        "prefetch",
        "a convolution of batches that are copied to the GPU on a separate stream",
        Options.with(
            new ProgramOption("iterations", "40", "batches"),
            new ProgramOption("batch", "16", "images per batch"),
            new ProgramOption("image", "256", "image side length in pixels"),
            new ProgramOption("channels", "64", "channels of the convolution"),
            new ProgramOption("pinned", "true", "copy from page-locked host memory"),
            new ProgramOption("side-stream", "true", "copy on a separate stream"),
            new ProgramOption(
                "record-stream",
                "true",
                "call record_stream() for the use of the batch on the main stream"),
            new ProgramOption("synchronize", "true", "wait for the GPU after each batch"),
            new ProgramOption("loader", "false", "load batches with a data loader"),
            new ProgramOption("workers", "0", "worker processes of the loader"),
            new ProgramOption("prefetch-factor", "2", "batches that each worker prefetches"),
            new ProgramOption("batch-micros", "2000", "host time to prepare a batch, in us"),
            new ProgramOption(
                "spread-micros", "0", "variation of this time, plus or minus, in us")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    int iterations = values.count("iterations");
    int batch = values.count("batch");
    int image = values.number("image", 3);
    int channels = values.count("channels");
    boolean pinned = values.flag("pinned");
    boolean aside = values.flag("side-stream");
    boolean records = values.flag("record-stream");
    boolean synchronizes = values.flag("synchronize");
    long batchNanos = values.number("batch-micros", 0) * NANOS_OF_MICRO;
    long spreadNanos = values.number("spread-micros", 0) * NANOS_OF_MICRO;
    values.require(
        spreadNanos <= batchNanos,
        "the time of a batch cannot vary by more than the" + " time itself");
    Device device = Options.device(values);
    Torch torch = new Torch(device);
    int loader =
        values.flag("loader")
            ? device.declareLoader(
                new Loader(
                    values.number("workers", 0),
                    values.count("prefetch-factor"),
                    batchNanos,
                    spreadNanos,
                    seed))
            : -1;
    Parameters parameters = new Parameters(torch, DType.FLOAT32);
    Tensor weight = parameters.add(channels, 3, 3, 3);
    Tensor bias = parameters.add(channels);
    Tensor result = null;
    int host = -1;
    for (int i = 0; i < iterations; i++) {
      device.begin("step " + i);
      if (loader >= 0) {
        device.loadBatch(loader);
      }
      if (pinned) {
        int fresh = device.allocateHost(4L * batch * 3 * image * image);
        if (host >= 0) {
          device.freeHost(host);
        }
        host = fresh;
      }
      long stream = aside ? COPY_STREAM : MAIN_STREAM;
      device.setStream(stream);
      Tensor images = Elementwise.toDevice(torch, DType.FLOAT32, pinned, batch, 3, image, image);
      if (pinned) {
        device.useHost(host, stream);
      }
      device.setStream(MAIN_STREAM);
      if (aside) {
        device.waitStream(MAIN_STREAM, COPY_STREAM);
        if (records) {
          images.recordStream(MAIN_STREAM);
        }
      }
      Tensor convolved = Convolutions.conv2d(torch, images, weight, bias, 1, 0);
      Tensor fresh = Elementwise.relu(torch, convolved);
      convolved.release();
      result = Tensor.replaced(result, fresh);
      images.release();
      if (synchronizes) {
        device.synchronize();
      }
      device.end("step " + i);
    }
    if (host >= 0) {
      device.freeHost(host);
    }
    Tensor.releaseAll(result);
    parameters.release();
    return device.trace();
  }
}
