package org.allocsim.analysis.moment;

import org.allocsim.simulator.trace.StackTable.Frame;

/** Whose code a frame of a stack is. */
public enum FrameKind {
  /** A file of the program itself, a notebook's cell, or text that was typed in. */
  PROGRAM,
  /** An installed Python package other than PyTorch. */
  PACKAGE,
  /** PyTorch's Python code. */
  TORCH,
  /** Python's standard library. */
  PYTHON,
  /** Compiled code. */
  COMPILED;

  /** Whose code a frame is, by the place of its file. */
  public static FrameKind of(Frame frame) {
    String file = frame.file().replace('\\', '/');
    if (file.startsWith("<")) {
      return file.startsWith("<frozen") ? PYTHON : PROGRAM;
    }
    if (!file.endsWith(".py")) {
      return file.contains("/ipykernel_") ? PROGRAM : COMPILED;
    }
    int packages = Math.max(after(file, "/site-packages/"), after(file, "/dist-packages/"));
    if (packages >= 0) {
      return file.startsWith("torch/", packages) ? TORCH : PACKAGE;
    }
    return file.contains("/lib/python3") ? PYTHON : PROGRAM;
  }

  private static int after(String file, String folder) {
    int at = file.lastIndexOf(folder);
    return at < 0 ? -1 : at + folder.length();
  }
}
