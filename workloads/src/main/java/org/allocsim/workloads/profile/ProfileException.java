package org.allocsim.workloads.profile;

import org.jspecify.annotations.Nullable;

/** A file is no device profile; the message is one sentence for users without the file's name. */
public final class ProfileException extends Exception {
  private static final long serialVersionUID = 1L;

  ProfileException(String sentence) {
    super(sentence);
  }

  ProfileException(String sentence, @Nullable Throwable cause) {
    super(sentence, cause);
  }
}
