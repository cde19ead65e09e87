package org.allocsim.workloads.program.torch;

import java.util.ArrayList;
import java.util.List;

/**
 * The variables of a Python function: tensors live until they are dropped, rebound, or the function
 * ends, by return or by an exception.
 */
public final class Frame implements AutoCloseable {
  private final List<Tensor> variables = new ArrayList<>();

  /** Takes over a reference and returns the tensor. */
  public Tensor own(Tensor tensor) {
    variables.add(tensor);
    return tensor;
  }

  /** {@code old = fresh}: the old value goes after the new one exists. */
  public Tensor rebind(Tensor old, Tensor fresh) {
    variables.add(fresh);
    drop(old);
    return fresh;
  }

  /** {@code del tensor}. */
  public void drop(Tensor tensor) {
    forget(tensor);
    tensor.release();
  }

  /** {@code return tensor}: hands the reference over; the other variables end with the frame. */
  public Tensor leave(Tensor tensor) {
    forget(tensor);
    return tensor;
  }

  private void forget(Tensor tensor) {
    for (int i = variables.size() - 1; i >= 0; i--) {
      if (variables.get(i) == tensor) {
        variables.remove(i);
        return;
      }
    }
    throw new IllegalStateException("no variable refers to tensor " + tensor);
  }

  @Override
  public void close() {
    for (Tensor tensor : variables) {
      tensor.release();
    }
    variables.clear();
  }
}
