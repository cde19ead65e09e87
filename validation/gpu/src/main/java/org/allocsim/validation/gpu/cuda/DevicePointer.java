package org.allocsim.validation.gpu.cuda;

import jcuda.driver.CUdeviceptr;

/** A device pointer of JCuda whose address can be set and read. */
final class DevicePointer extends CUdeviceptr {
  /** The null pointer, to be filled by a call. */
  DevicePointer() {}

  /** A pointer to an address. */
  DevicePointer(long address) {
    super(new CUdeviceptr(), address);
  }

  /** The address that it points to. */
  long address() {
    return getNativePointer() + getByteOffset();
  }
}
