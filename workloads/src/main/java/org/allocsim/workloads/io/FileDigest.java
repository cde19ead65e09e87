package org.allocsim.workloads.io;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The SHA-256 of a file as stored, of all its bytes in order. */
final class FileDigest {
  private final MessageDigest digest;

  /** Of no bytes yet. */
  FileDigest() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Takes the bytes that come next. */
  void update(byte[] source, int offset, int length) {
    digest.update(source, offset, length);
  }

  /** The digest, once all bytes were taken. */
  String hexadecimal() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
