package org.allocsim.workloads.program.torch;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Sizes and strides of tensors, in elements, by PyTorch's rules. */
final class Shape {
  private Shape() {}

  static long count(long... sizes) {
    long count = 1;
    for (long size : sizes) {
      count = Math.multiplyExact(count, size);
    }
    return count;
  }

  /** Strides of a tensor laid out row by row. */
  static long[] contiguous(long... sizes) {
    long[] strides = new long[sizes.length];
    long stride = 1;
    for (int i = sizes.length - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= Math.max(1, sizes[i]);
    }
    return strides;
  }

  static boolean isContiguous(long[] sizes, long[] strides) {
    long expected = 1;
    for (int i = sizes.length - 1; i >= 0; i--) {
      if (sizes[i] == 0) {
        return true;
      }
      if (sizes[i] != 1) {
        if (strides[i] != expected) {
          return false;
        }
        expected *= sizes[i];
      }
    }
    return true;
  }

  /** Dimensions from that with the smallest stride to that with the largest. */
  static Integer[] innermostFirst(long[] sizes, long[] strides) {
    Integer[] order = new Integer[sizes.length];
    for (int i = 0; i < order.length; i++) {
      order[i] = sizes.length - 1 - i;
    }
    Arrays.sort(order, (a, b) -> Long.compare(strides[a], strides[b]));
    return order;
  }

  /** Whether elements fill their range without holes or overlap. */
  static boolean isDense(long[] sizes, long[] strides) {
    if (count(sizes) < 2) {
      return true;
    }
    long expected = 1;
    for (int dimension : innermostFirst(sizes, strides)) {
      if (sizes[dimension] == 1) {
        continue;
      }
      if (strides[dimension] != expected) {
        return false;
      }
      expected *= sizes[dimension];
    }
    return true;
  }

  /** Dense strides in the order of those given, as {@code empty_like} makes them. */
  static long[] denseLike(long[] sizes, long[] strides) {
    long[] dense = new long[sizes.length];
    long stride = 1;
    for (int dimension : innermostFirst(sizes, strides)) {
      dense[dimension] = stride;
      stride *= Math.max(1, sizes[dimension]);
    }
    return dense;
  }

  /**
   * Strides with which the same elements have other sizes, or null where only a copy can have them
   * ({@code at::detail::computeStride}).
   */
  static long @Nullable [] viewed(long[] sizes, long[] strides, long[] wanted) {
    if (count(sizes) == 0) {
      return contiguous(wanted);
    }
    long[] result = new long[wanted.length];
    int view = wanted.length - 1;
    long chunkBase = strides.length == 0 ? 1 : strides[strides.length - 1];
    long elements = 1;
    long viewElements = 1;
    for (int i = sizes.length - 1; i >= 0; i--) {
      elements *= sizes[i];
      if (i == 0 || (sizes[i - 1] != 1 && strides[i - 1] != elements * chunkBase)) {
        while (view >= 0 && (viewElements < elements || wanted[view] == 1)) {
          result[view] = viewElements * chunkBase;
          viewElements *= wanted[view];
          view--;
        }
        if (viewElements != elements) {
          return null;
        }
        if (i > 0) {
          chunkBase = strides[i - 1];
          elements = 1;
          viewElements = 1;
        }
      }
    }
    for (; view >= 0; view--) {
      result[view] = 1;
    }
    return result;
  }

  /** Sizes with one −1 replaced by what is left of {@code count} elements. */
  static long[] resolved(long count, long... wanted) {
    long[] sizes = wanted.clone();
    long known = 1;
    int open = -1;
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] == -1) {
        open = i;
      } else {
        known *= sizes[i];
      }
    }
    if (open >= 0) {
      sizes[open] = count / known;
    }
    return sizes;
  }

  /** Sizes of the result of an operation on operands that are repeated to fit each other. */
  static long[] broadcast(long[] a, long[] b) {
    long[] result = new long[Math.max(a.length, b.length)];
    for (int i = 1; i <= result.length; i++) {
      long x = i <= a.length ? a[a.length - i] : 1;
      long y = i <= b.length ? b[b.length - i] : 1;
      result[result.length - i] = x == 1 ? y : x;
    }
    return result;
  }
}
