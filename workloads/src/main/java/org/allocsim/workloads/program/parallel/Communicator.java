package org.allocsim.workloads.program.parallel;

import org.allocsim.simulator.trace.Precision;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.memory.Device;

/**
 * An NCCL communicator as a rank uses it. Its collectives run on a stream of their own: it waits
 * for what the current stream has queued, and whoever needs the result lets a stream wait for it.
 */
final class Communicator {
  private final Device device;
  private final long stream;

  Communicator(Device device, long stream) {
    this.device = device;
    this.stream = stream;
  }

  long stream() {
    return stream;
  }

  /** Queues a collective that moves so many bytes of this rank's memory. */
  void start(long bytes) {
    device.waitStream(stream, device.stream());
    long before = device.setStream(stream);
    device.kernel(0, bytes, Precision.FP32);
    device.setStream(before);
  }

  /** Sends a tensor to one rank ({@code isend}), which marks it as used on this stream. */
  void send(Tensor tensor) {
    start(tensor.bytes());
    tensor.recordStream(stream);
  }

  /** The current stream goes on when all collectives are done ({@code work.wait()}). */
  void await() {
    device.waitStream(device.stream(), stream);
  }

  /** A collective whose result is needed at once. */
  void run(long bytes) {
    start(bytes);
    await();
  }
}
