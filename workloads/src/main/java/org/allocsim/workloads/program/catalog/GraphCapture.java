package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * CUDA graphs of a small network, one for each batch size, as {@code torch.cuda.graph} captures
 * them: warmed up on a stream of its own, captured on one that all captures share, into a private
 * pool for each graph or one for all.
 */
public final class GraphCapture extends DescribedProgram {
  private static final long MAIN_STREAM = 0;
  private static final long FIRST_WARM_UP_STREAM = 1;
  private static final long CAPTURE_STREAM = 2;

  /** Elements of the tensors that are made and let go when all graphs are captured. */
  private static final long FILLER_SIDE = 1_000;

  private record Graph(PoolId pool, List<Work.Kernel> kernels, Tensor input, Tensor output) {
    void release() {
      output.release();
      input.release();
    }
  }

  /** A program; the service loader makes it. */
  public GraphCapture() {
    super(
        "cuda-graph",
        "CUDA graphs of two linear layers for several batch sizes, captured into private pools",
        Options.with(
            new ProgramOption("graphs", "3", "number of captured graphs"),
            new ProgramOption("batch", "8", "batch rows of the first graph"),
            new ProgramOption(
                "growth", "8", "growth factor of the batch from one graph to the next"),
            new ProgramOption("width", "1024", "features outside"),
            new ProgramOption("inner", "4096", "features between the layers"),
            new ProgramOption("warm-up", "3", "warm-up runs before each capture"),
            new ProgramOption("replays", "1", "replays of each graph"),
            new ProgramOption("shared-pool", "false", "capture all graphs into one pool"),
            new ProgramOption(
                "filler", "20", "tensors of 4 MB that are allocated and freed at the end"),
            new ProgramOption(
                "drop", "1", "graphs that are deleted then, starting with the" + " first")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    int graphs = values.count("graphs");
    int growth = values.count("growth");
    int warmUp = values.number("warm-up", 0);
    int replays = values.number("replays", 0);
    boolean shared = values.flag("shared-pool");
    long batch = values.count("batch");
    long width = values.count("width");
    int dropped = values.number("drop", 0);
    values.require(dropped <= graphs, "more graphs would be deleted than there are");
    Device device = Options.device(values);
    Torch torch = new Torch(device);
    Network model = new Network(torch, width, values.count("inner"));
    List<Graph> kept = new ArrayList<>();
    List<Tensor> state = new ArrayList<>();
    for (int i = 0; i < graphs; i++) {
      device.begin("graph " + i);
      Tensor input = Elementwise.filled(torch, DType.FLOAT32, batch, width);
      long aside = i == 0 ? FIRST_WARM_UP_STREAM : CAPTURE_STREAM + i;
      device.waitStream(aside, MAIN_STREAM);
      device.setStream(aside);
      for (int run = 0; run < warmUp; run++) {
        model.forward(input).release();
      }
      device.setStream(MAIN_STREAM);
      device.waitStream(MAIN_STREAM, aside);
      Graph graph = capture(device, torch, model, input, new PoolId(shared ? 1 : i + 1, 0), state);
      for (int run = 0; run < replays; run++) {
        device.replay(graph.kernels);
      }
      kept.add(graph);
      device.end("graph " + i);
      batch = Math.multiplyExact(batch, growth);
      values.require(batch <= 1 << 24, "a batch has more than 16777216 rows");
    }
    finish(device, torch, kept, values.number("filler", 0), dropped, shared);
    model.parameters.release();
    state.forEach(Tensor::release);
    return device.trace();
  }

  /** {@code with torch.cuda.graph(g): y = model(x)}. */
  private static Graph capture(
      Device device, Torch torch, Network model, Tensor input, PoolId pool, List<Tensor> state) {
    device.synchronize();
    device.emptyCache();
    device.setStream(CAPTURE_STREAM);
    if (state.isEmpty()) {
      // Seed and offset of the random generator, which all graphs read.
      state.add(torch.empty(DType.INT64, 1));
      state.add(torch.empty(DType.INT64, 1));
    }
    PoolId outer = device.setPool(pool);
    device.beginCapture();
    Tensor output = model.forward(input);
    List<Work.Kernel> kernels = device.endCapture();
    device.setPool(outer);
    device.setStream(MAIN_STREAM);
    return new Graph(pool, kernels, input, output);
  }

  private static void finish(
      Device device, Torch torch, List<Graph> kept, int fillers, int dropped, boolean shared) {
    List<Tensor> filler = new ArrayList<>();
    for (int i = 0; i < fillers; i++) {
      filler.add(Elementwise.filled(torch, DType.FLOAT32, FILLER_SIDE, FILLER_SIDE));
    }
    filler.reversed().forEach(Tensor::release);
    for (int i = 0; i < dropped; i++) {
      kept.get(i).release();
      if (!shared) {
        device.releasePool(kept.get(i).pool);
      }
    }
    device.emptyCache();
    for (Graph graph : kept.subList(dropped, kept.size())) {
      graph.release();
      if (!shared) {
        device.releasePool(graph.pool);
      }
    }
    if (shared) {
      device.releasePool(kept.getFirst().pool);
    }
  }

  /** Two linear layers with {@code relu} between them. */
  private static final class Network {
    private final Torch torch;
    private final Parameters parameters;
    private final Tensor[] weights;

    Network(Torch torch, long width, long inner) {
      this.torch = torch;
      parameters = new Parameters(torch, DType.FLOAT32);
      weights =
          new Tensor[] {
            parameters.add(inner, width),
            parameters.add(inner),
            parameters.add(width, inner),
            parameters.add(width)
          };
    }

    Tensor forward(Tensor input) {
      Tensor first = Products.linear(torch, input, weights[0], weights[1]);
      Tensor hidden = Elementwise.relu(torch, first);
      first.release();
      Tensor out = Products.linear(torch, hidden, weights[2], weights[3]);
      hidden.release();
      return out;
    }
  }
}
