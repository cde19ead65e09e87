package org.allocsim.analysis.account;

/** A file holds no samples of nvidia-smi. The message is the sentence for the user. */
public final class SmiFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final String REMEDY =
      "write it with nvidia-smi"
          + " --query-gpu=index,memory.total,memory.used,memory.free,memory.reserved --format=csv";

  SmiFormatException(String sentence) {
    super(sentence);
  }
}
