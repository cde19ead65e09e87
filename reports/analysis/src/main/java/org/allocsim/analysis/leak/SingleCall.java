package org.allocsim.analysis.leak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.StackTable.Frame;

/**
 * Whether what repeats lies within one call of a model, as its layers do: then it is no iteration
 * of the program.
 *
 * <p>The stacks tell. All requests of the repetitions share their outer frames. Where these pass
 * through a call of a module, and other requests come from another line of the same function,
 * reached in the same way, the repetitions are only a part of that function's body: a model embeds
 * its input, then calls its layers. Repeated calls of the whole model show all its lines in every
 * repetition. A loop of {@code nn.Sequential}, one line of a model's own code where the repetitions
 * are guessed, and one call of the backward pass, are parts as well. The backward pass runs on
 * threads without Python, so that repetitions most of which have none of its frames are of one,
 * too, where the recording has some; the first may begin in the forward pass.
 */
final class SingleCall {
  private static final String MODULE = "torch/nn/modules/module.py";
  private static final String CONTAINER = "torch/nn/modules/container.py";
  private static final String BACKWARD = "_engine_run_backward";

  /** What computes a module; called directly, it leaves no frame of the module's call. */
  private static final String FORWARD = "forward";

  /** Modules of libraries that pass the call of the whole model on. */
  private static final Pattern WRAPPER =
      Pattern.compile(
          "torch/(?:nn/parallel|distributed|_dynamo)/|/(?:peft|accelerate|deepspeed|lightning"
              + "|lightning_fabric|pytorch_lightning)/");

  private final StackTable table;
  private final boolean isGuess;
  private final boolean isFreedAtEnd;

  private final Stacks inside = new Stacks();
  private final Stacks outside = new Stacks();

  /** Repetitions that ask for memory, and those among them that do so from Python. */
  private final BitSet asking = new BitSet();

  private final BitSet fromPython = new BitSet();

  /** Stacks by their frames of Python, outermost first. */
  private static final class Stacks {
    private final BitSet known = new BitSet();
    private final BitSet ofPython = new BitSet();
    private final List<List<Frame>> frames = new ArrayList<>();

    /** Adds a stack; answers whether it has frames of Python. */
    boolean add(int stack, IntFunction<List<Frame>> framesOf) {
      int index = stack + 1;
      if (!known.get(index)) {
        known.set(index);
        List<Frame> found = framesOf.apply(stack);
        frames.add(found);
        ofPython.set(index, !found.isEmpty());
      }
      return ofPython.get(index);
    }
  }

  private SingleCall(
      AllocationTrace trace, int device, Iterations iterations, boolean isFreedAtEnd) {
    this.isFreedAtEnd = isFreedAtEnd;
    table = trace.stacks();
    isGuess = iterations.source() == Iterations.Source.PERIOD;
    int iteration = -1;
    for (int row = trace.prologueCount(); row < trace.eventCount(); row++) {
      if (trace.device(row) != device || trace.kind(row) != RequestKind.ALLOCATE) {
        continue;
      }
      while (iteration < iterations.count() && iterations.begin(iteration + 1) <= row) {
        iteration++;
      }
      // The first and the last may hold what comes right before and after the repetitions.
      boolean isInside = iteration > 0 && iteration < iterations.count() - 1;
      boolean isPython = (isInside ? inside : outside).add(trace.stack(row), this::frames);
      if (isInside) {
        asking.set(iteration);
        if (isPython) {
          fromPython.set(iteration);
        }
      }
    }
  }

  /** Whether all iterations lie within one call; false where there are no stacks. */
  static boolean holds(AllocationTrace trace, int device, Iterations iterations) {
    return new SingleCall(trace, device, iterations, false).holds();
  }

  /**
   * The same of guessed iterations over which memory grew that is given back when the recording
   * ends, as what layers gather is when their pass ends. Then it does not matter whether a module
   * is called: any function of which the repetitions are a part may be a pass.
   */
  static boolean holdsUntilTheEnd(AllocationTrace trace, int device, Iterations iterations) {
    return new SingleCall(trace, device, iterations, true).holds();
  }

  private boolean holds() {
    if (2 * fromPython.cardinality() < asking.cardinality()) {
      return Stream.of(inside, outside)
          .flatMap(stacks -> stacks.frames.stream())
          .anyMatch(frames -> !frames.isEmpty());
    }
    List<Frame> shared = shared(inside.frames);
    boolean inModule = false;
    for (int depth = 0; depth < shared.size(); depth++) {
      Frame frame = shared.get(depth);
      boolean isPart =
          inModule && (frame.file().endsWith(CONTAINER) || isGuess && isModelsLine(frame));
      inModule |= frame.function().equals(FORWARD);
      if (frame.function().equals(BACKWARD)
          || isPart
          || (inModule || isFreedAtEnd) && hasOtherLine(shared, depth)) {
        return true;
      }
      inModule |= frame.file().endsWith(MODULE);
    }
    return false;
  }

  /** Whether a frame inside of a module's call is a line of that module, and not of a wrapper. */
  private static boolean isModelsLine(Frame frame) {
    return !frame.file().endsWith(MODULE) && !WRAPPER.matcher(frame.file()).find();
  }

  /** Whether a request outside comes from another line of the function at a depth. */
  private boolean hasOtherLine(List<Frame> shared, int depth) {
    Frame frame = shared.get(depth);
    for (List<Frame> other : outside.frames) {
      if (other.size() > depth
          && other.get(depth).line() != frame.line()
          && other.get(depth).function().equals(frame.function())
          && other.get(depth).file().equals(frame.file())
          && other.subList(0, depth).equals(shared.subList(0, depth))) {
        return true;
      }
    }
    return false;
  }

  /** The outer frames that all stacks have in common; those without frames say nothing. */
  private static List<Frame> shared(List<List<Frame>> stacks) {
    List<Frame> shared = null;
    for (List<Frame> frames : stacks) {
      if (frames.isEmpty()) {
        continue;
      }
      int depth = 0;
      while (shared != null
          && depth < Math.min(shared.size(), frames.size())
          && frames.get(depth).equals(shared.get(depth))) {
        depth++;
      }
      shared = shared == null ? frames : shared.subList(0, depth);
    }
    return shared == null ? List.of() : shared;
  }

  private List<Frame> frames(int stack) {
    List<Frame> frames = new ArrayList<>();
    for (int depth = table.depth(stack) - 1; depth >= 0; depth--) {
      Frame frame = table.frame(stack, depth);
      if (frame.file().endsWith(".py")) {
        frames.add(frame);
      }
    }
    return frames;
  }
}
