package org.allocsim.workloads.program.torch;

/**
 * The workspace that cuDNN 9 asks on Hopper for a convolution of images laid out channel by
 * channel. Its tensor-core kernels want channels innermost, so images, filters and results are
 * copied into that layout, channels filled up to a multiple of four. Windows of one pixel are plain
 * matrix products and need no copies where rows of pixels are aligned well enough; the gradient of
 * their filters is made image by image in single precision and then summed.
 *
 * <p>Left out are counters of a few hundred bytes that some kernels add, and partial sums of
 * filters' gradients by which some kernels divide their work: both depend on the kernel that
 * cuDNN's heuristics choose.
 *
 * @param forwardBytes workspace of the forward pass
 * @param backwardInputBytes workspace of the gradient of the images
 * @param backwardFilterBytes workspace of the gradient of the filters
 * @param convertedBytes workspace of a pass that copies all three into the other layout
 */
record ConvolutionPlan(
    long forwardBytes, long backwardInputBytes, long backwardFilterBytes, long convertedBytes) {
  private static final long CHANNELS = 4;
  private static final long ALIGNMENT = 16;

  /** Alignment of a channel's pixels that a product of matrices needs. */
  private static final long PRODUCT_ALIGNMENT = 8;

  static ConvolutionPlan of(Tensor x, Tensor w, Tensor out, int stride) {
    boolean isPointwise = w.size(2) == 1 && w.size(3) == 1;
    long converted = inner(x) + inner(out) + (isPointwise ? 0 : inner(w)) + ALIGNMENT;
    if (isPointwise && stride == 1) {
      long rowBytes = x.size(2) * x.size(3) * x.type().bytes();
      long forward = rowBytes % PRODUCT_ALIGNMENT == 0 ? 0 : converted;
      long byImage = x.size(0) * w.count() * DType.FLOAT32.bytes();
      long filter = forward == 0 ? Math.min(byImage, converted) : converted;
      return new ConvolutionPlan(forward, forward, filter, converted);
    }
    boolean staysInLayout = x.type() == DType.FLOAT32 && x.size(1) < CHANNELS;
    return new ConvolutionPlan(staysInLayout ? 0 : converted, converted, converted, converted);
  }

  /** Whether a pass with this workspace copies images, filters and results. */
  boolean converts(long workspaceBytes) {
    return workspaceBytes == convertedBytes;
  }

  private static long inner(Tensor a) {
    long channels = (a.size(1) + CHANNELS - 1) / CHANNELS * CHANNELS;
    return a.count() / a.size(1) * channels * a.type().bytes();
  }
}
