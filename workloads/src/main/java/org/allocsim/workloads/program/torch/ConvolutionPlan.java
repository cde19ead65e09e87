package org.allocsim.workloads.program.torch;

/**
 * The workspace that cuDNN 9 asks on Hopper for a convolution of images laid out channel by
 * channel. Its tensor-core kernels want channels innermost, so that images, filters and results are
 * copied into that layout; channels are filled up to a multiple of four.
 *
 * @param forwardBytes workspace of the forward pass
 * @param backwardInputBytes workspace of the gradient of the images
 * @param backwardFilterBytes workspace of the gradient of the filters
 */
record ConvolutionPlan(long forwardBytes, long backwardInputBytes, long backwardFilterBytes) {
  private static final long CHANNELS = 4;
  private static final long ALIGNMENT = 16;

  static ConvolutionPlan of(Tensor x, Tensor w, Tensor out, int stride, int padding) {
    boolean isPointwise = w.size(2) == 1 && w.size(3) == 1;
    long converted = inner(x) + inner(out) + (isPointwise ? 0 : inner(w)) + ALIGNMENT;
    boolean isPatch = stride == w.size(2) && stride == w.size(3) && padding == 0 && !isPointwise;
    boolean isProduct = isPointwise && stride == 1 && x.size(2) * x.size(3) % 4 == 0;
    long forward = isProduct || isPatch ? 0 : converted;
    return new ConvolutionPlan(forward, isProduct ? 0 : converted, isProduct ? 0 : converted);
  }

  private static long inner(Tensor a) {
    long channels = (a.size(1) + CHANNELS - 1) / CHANNELS * CHANNELS;
    return a.count() / a.size(1) * channels * a.type().bytes();
  }
}
