package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.model.Mlp;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;

/** Inference with and without a graph. */
public final class NoGradient implements SuiteScenario {
  private static final String AUTOCAST = "no_grad in one autocast region";
  private static final int LAYERS = 24;
  private static final int WIDTH = 1024;
  private static final int BATCH = 8192;

  @Override
  public Topic topic() {
    return new Topic(
        "no-grad",
        Kind.CLAIM,
        "no_grad lowers memory",
        "article 'Why is PyTorch only using 15GB of memory on a device with more "
            + "available?'; article 'Is PyTorch CUDA exceeding available GPU memory?'; "
            + "article 'How can PyTorch effectively manage GPU memory?'; article 'What causes "
            + "fluctuating GPU utilization and high memory consumption in PyTorch?'; article "
            + "'PyTorch Memory Management Overview'; pytorch/pytorch#48049 (one autocast "
            + "region around a loop)",
        "A network of 24 linear layers runs inference on 8 batches. Before: with gradients, the"
            + " graph released after each batch; after: under no_grad. Also: both under one"
            + " autocast region around all batches.");
  }

  @Override
  public List<Variant> variants() {
    Variant recorded = Variant.of("with gradients", answer(true, false)).capacity(80 * GIB);
    return List.of(
        recorded,
        recorded.named("no_grad").running(answer(false, false)),
        recorded.named(AUTOCAST).running(answer(false, true)));
  }

  private static AllocationTrace answer(boolean recorded, boolean autocast) {
    Device device = new Device();
    Torch torch = new Torch(device);
    Mlp model = new Mlp(torch, LAYERS, WIDTH);
    Runnable loop =
        () -> {
          for (int batch = 0; batch < 8; batch++) {
            Tensor input = Elementwise.toDevice(torch, DType.FLOAT32, false, BATCH, WIDTH);
            model.forward(input).release();
            input.release();
          }
        };
    Runnable inRegion = autocast ? () -> torch.autocast().region(DType.BFLOAT16, loop) : loop;
    if (recorded) {
      inRegion.run();
    } else {
      torch.withoutGradients(inRegion);
    }
    return device.trace();
  }

  @Override
  public Findings judge(Outcome recorded, Outcome plain, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(recorded.peakAllocatedBytes(), plain.peakAllocatedBytes())
        .tried(plain.peakAllocatedBytes() < recorded.peakAllocatedBytes())
        .documented(Verdict.TRUE)
        .conclude(
            "Without a graph each layer's input is freed as soon as the next layer is done: {}"
                + " instead of {}. Inside one autocast region around the whole loop it is {}.",
            plain.peakAllocatedBytes(),
            recorded.peakAllocatedBytes(),
            outcomes.of(AUTOCAST).peakAllocatedBytes());
  }
}
