package org.allocsim.workloads.program.torch;

/** A tensor that an operation keeps for its backward pass (PyTorch's {@code SavedVariable}). */
interface Saved {
  /** What is kept where no gradient flows. */
  Saved NONE =
      new Saved() {
        @Override
        public Tensor get() {
          throw new IllegalStateException("nothing was saved, because no gradient flows here");
        }

        @Override
        public void release() {}
      };

  /** The tensor; whoever calls owns nothing and uses it before {@link #release}. */
  Tensor get();

  /** Reports that the backward pass of the operation needs this tensor no more. */
  default void usedLast() {}

  /** Whether the tensor goes as soon as the backward pass of its operation has run. */
  default boolean isRecomputed() {
    return false;
  }

  /** Gives the tensor back; doing so again is allowed. */
  void release();
}
