package org.allocsim.workloads.program.catalog;

import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.DType;
import org.jspecify.annotations.Nullable;

/** Element types as options name them. */
final class Types {
  private Types() {}

  /** The type of autocast, null for none. */
  static @Nullable DType autocast(ProgramValues values, String option) {
    return switch (values.choice(option, "none", "bfloat16", "float16")) {
      case "bfloat16" -> DType.BFLOAT16;
      case "float16" -> DType.FLOAT16;
      default -> null;
    };
  }
}
