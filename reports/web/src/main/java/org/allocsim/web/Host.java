package org.allocsim.web;

import org.teavm.jso.JSBody;
import org.teavm.jso.JSObject;
import org.teavm.jso.typedarrays.Int8Array;

/** What the JavaScript around the engine does for it. */
public final class Host {
  private Host() {}

  /** Unpacks a file piece by piece. */
  public interface Decoder extends JSObject {
    /**
     * The bytes that come out of the first {@code length} of these; null where they are damaged.
     */
    Int8Array push(Int8Array stored, int length, boolean isLast);

    /** What is wrong with the file. */
    String failure();
  }

  /** Shows how much of a task is done, from 0 to 1. */
  @JSBody(
      params = {"task", "share"},
      script = "allocsimHost.progress(task, share);")
  public static native void progress(String task, double share);

  /** The text of a file of the program by its path; null where there is none. */
  @JSBody(params = "path", script = "return allocsimHost.text(path);")
  public static native String text(String path);

  /** The SHA-256 of the open file; null where the browser does not compute it. */
  @JSBody(script = "return allocsimHost.digest();")
  public static native Int8Array digest();

  /** A decoder of Zstandard. */
  @JSBody(script = "return allocsimHost.zstandard();")
  public static native Decoder zstandard();

  /** A number with its shortest digits, as in 1.25e+3. */
  @JSBody(params = "number", script = "return number.toExponential();")
  public static native String exponential(double number);

  /** The number that a text means. */
  @JSBody(params = "text", script = "return Number(text);")
  public static native double number(String text);
}
