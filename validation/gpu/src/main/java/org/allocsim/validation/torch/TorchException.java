package org.allocsim.validation.torch;

import org.jspecify.annotations.Nullable;

/** PyTorch cannot be driven; the message is a sentence for the user. */
public final class TorchException extends Exception {
  private static final long serialVersionUID = 1L;

  TorchException(String sentence) {
    super(sentence);
  }

  TorchException(String sentence, @Nullable Throwable cause) {
    super(sentence, cause);
  }
}
