package org.allocsim.workloads.format.nsys;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.allocsim.workloads.io.sqlite.SqliteFile;
import org.allocsim.workloads.io.sqlite.TableRows;

/** Kinds of memory that Nsight Systems distinguishes (its table ENUM_CUDA_MEM_KIND). */
enum MemoryKind {
  PAGEABLE,
  PINNED,
  DEVICE,
  ARRAY,
  MANAGED,
  DEVICE_STATIC,
  MANAGED_STATIC,
  UNKNOWN;

  private static final String TABLE = "ENUM_CUDA_MEM_KIND";
  private static final String PREFIX = "CUDA_MEMOPR_MEMORY_KIND_";

  /** Rows that the table has at most. */
  private static final int MAX_ROWS = 100;

  /** Kinds by the numbers that an export gives them; those of release 2025.3 where it has none. */
  static Map<Long, MemoryKind> numbers(SqliteFile file) throws IOException {
    Map<Long, MemoryKind> numbers = new HashMap<>();
    TableRows rows = file.rows(TABLE, "id", "name");
    if (rows == null) {
      for (MemoryKind kind : values()) {
        numbers.put((long) kind.ordinal(), kind);
      }
      return numbers;
    }
    for (int i = 0; i < MAX_ROWS && rows.next(); i++) {
      String name = rows.text(1);
      for (MemoryKind kind : values()) {
        if (name.equals(PREFIX + kind.name())) {
          numbers.put(rows.integer(0), kind);
        }
      }
    }
    return numbers;
  }

  /** Whether a program asks an allocator of GPU memory for it. */
  boolean isRequested() {
    return this == DEVICE || this == ARRAY;
  }

  /** As users know it, with the verb. */
  String plainName() {
    return switch (this) {
      case PAGEABLE -> "pageable memory is";
      case PINNED -> "pinned memory is";
      case DEVICE -> "device memory is";
      case ARRAY -> "arrays are";
      case MANAGED -> "managed memory is";
      case DEVICE_STATIC -> "static variables of modules are";
      case MANAGED_STATIC -> "managed static variables of modules are";
      case UNKNOWN -> "memory of unknown kind is";
    };
  }
}
