package org.allocsim.web.standin.org.allocsim.workloads.io;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.allocsim.web.Host;
import org.teavm.jso.typedarrays.Int8Array;

/**
 * The SHA-256 of the open file. A browser has it many times faster, of all bytes at once, but gives
 * it to pages from a safe place only; elsewhere it is computed here.
 */
public final class FileDigest {
  private final Int8Array known = Host.digest();
  private final MessageDigest computed;

  /** Of no bytes yet. */
  public FileDigest() {
    try {
      computed = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this engine has SHA-256", e);
    }
  }

  /** Takes the bytes that come next. */
  public void update(byte[] source, int offset, int length) {
    if (known == null) {
      computed.update(source, offset, length);
    }
  }

  /** The digest, once all bytes were taken. */
  public String hexadecimal() {
    return HexFormat.of().formatHex(known == null ? computed.digest() : known.copyToJavaArray());
  }
}
