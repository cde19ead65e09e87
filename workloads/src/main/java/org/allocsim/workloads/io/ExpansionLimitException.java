package org.allocsim.workloads.io;

import java.io.IOException;

/** Compressed data grow far more than real recordings do when they are unpacked. */
public final class ExpansionLimitException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long plainBytes;
  private final long storedBytes;

  ExpansionLimitException(long plainBytes, long storedBytes) {
    super(storedBytes + " compressed bytes unpack to more than " + plainBytes + " bytes");
    this.plainBytes = plainBytes;
    this.storedBytes = storedBytes;
  }

  /** Bytes unpacked so far. */
  public long plainBytes() {
    return plainBytes;
  }

  /** Compressed bytes they came from. */
  public long storedBytes() {
    return storedBytes;
  }
}
