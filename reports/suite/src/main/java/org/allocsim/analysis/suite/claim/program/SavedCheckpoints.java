package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Work;

/** Saving and loading a model. */
public final class SavedCheckpoints implements SuiteScenario {
  private enum Task {
    SAVE,
    LOAD,
    LOAD_TO_HOST
  }

  @Override
  public Topic topic() {
    return new Topic(
        "saved-checkpoints",
        Kind.CLAIM,
        "saving checkpoints consumes GPU memory",
        "article 'PyTorch Memory Management Overview' (asks for checkpointing); "
            + "NVIDIA/Megatron-LM#4638 (resuming runs out of memory)",
        "Weights of 2 GiB and Adam states of 4 GiB. Before: they are saved; after: a checkpoint"
            + " is loaded to the GPU and copied into them. Also: loaded to host memory first.");
  }

  @Override
  public List<Variant> variants() {
    Variant save = Variant.of("save", program(Task.SAVE)).capacity(16 * GIB);
    return List.of(
        save,
        save.named("load to the GPU").running(program(Task.LOAD)),
        save.named("load to the host").running(program(Task.LOAD_TO_HOST)));
  }

  private static AllocationTrace program(Task task) {
    Requests program = new Requests();
    for (int i = 0; i < 6; i++) {
      program.allocate(GIB);
    }
    program.mark("trained");
    List<Integer> loaded = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      if (task == Task.LOAD) {
        loaded.add(program.allocate(GIB));
      }
      program.launch(new Work.Copy(GIB, task != Task.SAVE, false));
    }
    program.freeAll(loaded);
    return program.build();
  }

  @Override
  public Findings judge(Outcome save, Outcome load, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(Findings.reserved(save), Findings.reserved(load))
        .tried(save.peakAllocatedBytes() > save.at("trained").allocatedBytes())
        .tried(load.peakAllocatedBytes() > load.at("trained").allocatedBytes())
        .documented(Verdict.PARTLY_TRUE)
        .bytes("peak while a checkpoint is loaded to the GPU", 12 * GIB, load.peakAllocatedBytes())
        .bytes("and to the host", 6 * GIB, outcomes.of("load to the host").peakAllocatedBytes())
        .conclude(
            "Saving copies tensors to the host and uses no extra GPU memory ({} before and"
                + " during the save). Loading to the GPU holds everything twice, {}, unless the"
                + " copy stays in host memory.",
            save.peakAllocatedBytes(),
            load.peakAllocatedBytes());
  }
}
