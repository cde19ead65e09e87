package org.allocsim.workloads.program.catalog;

import java.util.List;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.Torch;

/**
 * A phase of a training that only looks how good the model is: without gradients, in batches that
 * may be larger.
 *
 * @param every steps after which it comes, 0 for never
 * @param batches batches of a phase
 * @param batch samples of each
 */
record Evaluation(int every, int batches, int batch) {
  private static final String EVERY = "evaluate-every";
  private static final String BATCHES = "evaluate-batches";
  private static final String BATCH = "evaluate-batch";

  /** As options say; batches are as large as those of the training where they do not. */
  static Evaluation of(ProgramValues values, int trainingBatch) {
    int batch = values.number(BATCH, 0);
    return new Evaluation(
        values.number(EVERY, 0), values.count(BATCHES), batch == 0 ? trainingBatch : batch);
  }

  static List<ProgramOption> options() {
    return List.of(
        new ProgramOption(EVERY, "0", "evaluate every N steps; 0: never"),
        new ProgramOption(BATCHES, "4", "batches per evaluation"),
        new ProgramOption(BATCH, "0", "samples per evaluation batch; 0: as in training"));
  }

  /** Runs the phase after a step, counted from 0, where it is due. */
  void after(int step, Torch torch, Runnable answerBatch) {
    if (every == 0 || (step + 1) % every != 0) {
      return;
    }
    String name = "evaluate " + step;
    torch.device().begin(name);
    torch.withoutGradients(() -> {
      for (int i = 0; i < batches; i++) {
        answerBatch.run();
      }
    });
    torch.device().end(name);
  }
}
