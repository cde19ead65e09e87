package org.allocsim.validation.gpu.cuda;

import jcuda.driver.CUstream;

/** A stream of JCuda whose handle can be read. */
final class NativeStream extends CUstream {
  /** The driver's handle, 0 for the default stream. */
  long handle() {
    return getNativePointer();
  }
}
