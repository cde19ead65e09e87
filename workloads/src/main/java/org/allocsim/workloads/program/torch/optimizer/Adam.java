package org.allocsim.workloads.program.torch.optimizer;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/**
 * {@code torch.optim.Adam} and {@code AdamW}: two moments for each parameter, made at the first
 * step that has its gradient. The {@code foreach} implementation, the default on GPUs, needs a
 * temporary copy of all second moments; the fused one does not. Step counts live on the host, or on
 * the device with the fused implementation.
 */
public final class Adam implements Optimizer {
  private final Torch torch;
  private final Parameters parameters;
  private final Style style;
  private final boolean weightDecay;
  private final IdentityHashMap<Tensor, Tensor[]> moments = new IdentityHashMap<>();

  /** How a step goes over the parameters. */
  public enum Style {
    /** One operation on all parameters after the other. */
    FOREACH,
    /** One kernel does the step. */
    FUSED,
    /** One parameter after the other ({@code foreach=False}). */
    SINGLE
  }

  /**
   * @param decoupledDecay whether weights decay apart from gradients (AdamW)
   * @param fused whether one kernel does the step
   */
  public Adam(Torch torch, Parameters parameters, boolean decoupledDecay, boolean fused) {
    this(torch, parameters, decoupledDecay, fused ? Style.FUSED : Style.FOREACH);
  }

  /**
   * @param decoupledDecay whether weights decay apart from gradients (AdamW)
   */
  public Adam(Torch torch, Parameters parameters, boolean decoupledDecay, Style style) {
    this.torch = torch;
    this.parameters = parameters;
    this.style = style;
    weightDecay = decoupledDecay;
  }

  @Override
  public void step() {
    List<Tensor> changed = new ArrayList<>();
    for (Tensor parameter : parameters.all()) {
      if (parameter.gradient() == null) {
        continue;
      }
      changed.add(parameter);
      if (!moments.containsKey(parameter)) {
        if (style == Style.FUSED) {
          Tensor count = Elementwise.filled(torch, DType.FLOAT32);
          moments.put(parameter, new Tensor[] {count, zeros(parameter), zeros(parameter)});
        } else {
          moments.put(parameter, new Tensor[] {zeros(parameter), zeros(parameter)});
        }
      }
    }
    switch (style) {
      case FOREACH -> foreach(changed);
      case FUSED -> changed.forEach(parameter -> Elementwise.charge(torch, parameter, 12, 7));
      case SINGLE -> single(changed);
    }
  }

  /** The denominator of a parameter goes when that of the next one has its name. */
  private void single(List<Tensor> changed) {
    Tensor denominator = null;
    for (Tensor parameter : changed) {
      Elementwise.charge(torch, parameter, 6, 9);
      Tensor second = Objects.requireNonNull(moments.get(parameter))[1];
      Tensor root = Elementwise.unary(torch, second);
      Tensor corrected = Elementwise.unary(torch, root);
      root.release();
      denominator = Tensor.replaced(denominator, corrected);
      Elementwise.charge(torch, parameter, 4, 5);
    }
    Tensor.releaseAll(denominator);
  }

  @Override
  public void release() {
    for (Tensor parameter : parameters.all()) {
      Tensor[] state = moments.remove(parameter);
      if (state != null) {
        for (Tensor tensor : state) {
          tensor.release();
        }
      }
    }
  }

  private Tensor zeros(Tensor parameter) {
    Tensor out = torch.emptyLike(parameter, parameter.type());
    Elementwise.charge(torch, out, 0, 1);
    return out;
  }

  private void foreach(List<Tensor> changed) {
    if (weightDecay) {
      // The parameters are scaled in place.
      Foreach.charge(torch, changed, 1, 1);
    }
    // lerp_ of the first moments, mul_ and addcmul_ of the second.
    Foreach.charge(torch, changed, 2, 3);
    Foreach.charge(torch, changed, 1, 1);
    Foreach.charge(torch, changed, 3, 3);
    List<Tensor> roots = new ArrayList<>();
    for (Tensor parameter : changed) {
      Tensor second = Objects.requireNonNull(moments.get(parameter))[1];
      roots.add(torch.emptyLike(second, second.type()));
    }
    Foreach.charge(torch, roots, 1, 1);
    // div_ and add_ of the roots, addcdiv_ of the parameters.
    Foreach.charge(torch, roots, 1, 1);
    Foreach.charge(torch, roots, 1, 1);
    Foreach.charge(torch, roots, 3, 3);
    roots.reversed().forEach(Tensor::release);
  }
}
