package org.allocsim.workloads.program.parallel;

import org.allocsim.simulator.trace.Work;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.memory.Device;

/**
 * An NCCL communicator as a rank uses it. Its collectives run on a stream of their own: it waits
 * for what the current stream has queued, and whoever needs the result lets a stream wait for it.
 */
final class Communicator {
  private final Device device;
  private final ParallelLayout layout;
  private final long stream;

  Communicator(Device device, ParallelLayout layout, long stream) {
    this.device = device;
    this.layout = layout;
    this.stream = stream;
  }

  long stream() {
    return stream;
  }

  /** The rank whose turn it is where things go round. */
  int turn(int number) {
    return Math.floorMod(number, layout.ranks());
  }

  /** Queues a collective whose whole message has so many bytes. */
  void start(Pattern pattern, long bytes) {
    start(new Work.Collective(pattern, bytes, layout.ranks()));
  }

  private void start(Work.Collective message) {
    device.waitStream(stream, device.stream());
    long before = device.setStream(stream);
    device.collective(message);
    device.setStream(before);
  }

  /** Sends a tensor to one rank ({@code isend}), which marks it as used on this stream. */
  void send(Tensor tensor, int peer) {
    start(new Work.Collective(Pattern.SEND, tensor.bytes(), layout.ranks(), peer));
    tensor.recordStream(stream);
  }

  /** Receives from one rank what is needed at once. */
  void receive(Tensor tensor, int peer) {
    start(new Work.Collective(Pattern.RECEIVE, tensor.bytes(), layout.ranks(), peer));
    await();
  }

  /** Everyone gets a part of so many bytes from the first rank ({@code scatter}). */
  void scatter(long partBytes) {
    if (layout.isFirst()) {
      for (int peer = 1; peer < layout.ranks(); peer++) {
        start(new Work.Collective(Pattern.SEND, partBytes, layout.ranks(), peer));
      }
    } else {
      start(new Work.Collective(Pattern.RECEIVE, partBytes, layout.ranks(), 0));
    }
    await();
  }

  /** The current stream goes on when all collectives are done ({@code work.wait()}). */
  void await() {
    device.waitStream(device.stream(), stream);
  }

  /** A collective whose result is needed at once. */
  void run(Pattern pattern, long bytes) {
    start(pattern, bytes);
    await();
  }
}
