package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Losses;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** A rank of a training with expert parallelism, to which a varying share of all tokens goes. */
public final class ExpertParallelTraining extends DescribedProgram {
  private static final long COMMUNICATION_STREAM = 1;

  /** Tokens that a rank gets at least, so that its experts have something to do. */
  private static final long FEWEST_TOKENS = 8;

  /** A program; the service loader makes it. */
  public ExpertParallelTraining() {
    super(
        "experts",
        "one rank of a training run with expert parallelism and uneven routing",
        EncoderJob.options(
            new ProgramOption("experts-each", "2", "experts per token"),
            new ProgramOption("share", "50", "percentage of all tokens that go to rank 0"),
            new ProgramOption("uneven-share", "85", "the same for uneven steps"),
            new ProgramOption(
                "uneven-every", "3", "every Nth step is uneven, starting with the" + " first"),
            new ProgramOption(
                "exchange",
                "true",
                "whether tokens are exchanged (all-to-all); otherwise a rank reuses its own"
                    + " tokens in their place")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    ParallelLayout layout = ParallelLayout.of(values);
    EncoderJob job = new EncoderJob(values);
    Torch torch = job.torch();
    int each = values.count("experts-each");
    int evenShare = values.number("share", 0);
    int unevenShare = values.number("uneven-share", 0);
    values.require(Math.max(evenShare, unevenShare) <= 100, "a percentage cannot exceed 100");
    int every = values.count("uneven-every");
    Parameters parameters = new Parameters(torch, DType.FLOAT32);
    List<Block> blocks = job.layers(parameters, values.count("layers"));
    List<Tensor> order = new ArrayList<>(parameters.all());
    Experts experts =
        new Experts(
            torch,
            parameters,
            new Communicator(job.device(), layout, COMMUNICATION_STREAM),
            values.flag("exchange"),
            each,
            values.count("width"),
            values.count("inner"));
    order.addAll(experts.parameters());
    parameters.reorder(order);
    Adam optimizer = new Adam(torch, parameters, true, false);
    long tokens = (long) values.count("batch") * values.count("tokens");
    // Without an exchange a rank sees what one rank sends.
    long senders = values.flag("exchange") ? layout.ranks() : 1;
    // The script's variables keep what they name until a step names it anew.
    Tensor[] hidden = new Tensor[1];
    Tensor[] routed = new Tensor[1];
    job.train(
        optimizer,
        parameters,
        (step, batch) -> {
          Tensor scores = EncoderJob.forward(blocks, batch);
          hidden[0] = Tensor.replaced(hidden[0], Views.reshape(torch, scores, -1, scores.size(2)));
          scores.release();
          int share = step % every == 0 ? unevenShare : evenShare;
          long count = tokensOf(layout, senders * tokens * each, share);
          routed[0] = Tensor.replaced(routed[0], experts.routed(hidden[0], count));
          Tensor first = Losses.meanSquare(torch, experts.forward(routed[0], tokens * each));
          Tensor second = Losses.meanSquare(torch, hidden[0].retain());
          Tensor loss = Elementwise.add(torch, first, second);
          first.release();
          second.release();
          job.autograd().backward(loss);
          loss.release();
        });
    Tensor.releaseAll(hidden[0], routed[0]);
    return job.end(optimizer, parameters);
  }

  /**
   * Tokens for a rank's experts: rank 0 gets its share of those sent, and the others divide what is
   * left.
   */
  static long tokensOf(ParallelLayout layout, long sent, int percentOfFirst) {
    long others = Math.max(1, layout.ranks() - 1);
    long count =
        layout.isFirst()
            ? sent * percentOfFirst / 100
            : sent * (100 - percentOfFirst) / (100 * others);
    return Math.max(count, FEWEST_TOKENS);
  }
}
