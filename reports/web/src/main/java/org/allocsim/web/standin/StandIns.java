package org.allocsim.web.standin;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.web.Host;
import org.allocsim.workloads.io.StoredInput;
import org.apache.commons.math3.exception.util.ExceptionContext;
import org.jspecify.annotations.Nullable;

/** What is done in a browser instead of what its class library lacks. */
public final class StandIns {
  private static final String VIEW = "java.lang.invoke.VarHandle.get([BI)";
  private static final String HEX = "0123456789abcdef";

  private StandIns() {}

  /** No view is needed: {@link #longAt} and {@link #intAt} read little-endian. */
  @Instead(
      "java.lang.invoke.MethodHandles.byteArrayViewVarHandle"
          + "(Ljava/lang/Class;Ljava/nio/ByteOrder;)Ljava/lang/invoke/VarHandle;")
  static @Nullable VarHandle view(Class<?> type, ByteOrder order) {
    if (order != ByteOrder.LITTLE_ENDIAN) {
      throw new UnsupportedOperationException("only little-endian numbers are supported");
    }
    return null;
  }

  /** Eight bytes, the lowest first. */
  @Instead(VIEW + "J")
  static long longAt(VarHandle view, byte[] bytes, int at) {
    return intAt(view, bytes, at) & 0xffff_ffffL | (long) intAt(view, bytes, at + 4) << 32;
  }

  /** Four bytes, the lowest first. */
  @Instead(VIEW + "I")
  static int intAt(VarHandle view, byte[] bytes, int at) {
    return bytes[at] & 0xff
        | (bytes[at + 1] & 0xff) << 8
        | (bytes[at + 2] & 0xff) << 16
        | bytes[at + 3] << 24;
  }

  /** Two bytes, the lowest first. */
  @Instead(VIEW + "S")
  static short shortAt(VarHandle view, byte[] bytes, int at) {
    return (short) (bytes[at] & 0xff | bytes[at + 1] << 8);
  }

  /** Hexadecimal digits are always lower case here. */
  @Instead("java.util.HexFormat.of()Ljava/util/HexFormat;")
  static @Nullable HexFormat hexadecimal() {
    return null;
  }

  /** All bytes in hexadecimal. */
  @Instead("java.util.HexFormat.formatHex([B)Ljava/lang/String;")
  static String hexadecimal(HexFormat format, byte[] bytes) {
    return hexadecimal(format, bytes, 0, bytes.length);
  }

  /** Some bytes in hexadecimal. */
  @Instead("java.util.HexFormat.formatHex([BII)Ljava/lang/String;")
  static String hexadecimal(HexFormat format, byte[] bytes, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(HEX.charAt(bytes[i] >> 4 & 15)).append(HEX.charAt(bytes[i] & 15));
    }
    return text.toString();
  }

  /** The memory that a tab of a 64-bit browser can have. */
  @Instead("java.lang.Runtime.maxMemory()J")
  static long maxMemory(Runtime runtime) {
    return 4L << 30;
  }

  /** Lines without their ends, as {@link String#lines()} has them. */
  @Instead("java.lang.String.lines()Ljava/util/stream/Stream;")
  static Stream<String> lines(String text) {
    List<String> lines = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      int end = from;
      while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
        end++;
      }
      lines.add(text.substring(from, end));
      from = end + (text.startsWith("\r\n", end) ? 2 : 1);
    }
    return lines.stream();
  }

  /** Files of the program lie beside the engine, as texts. */
  @Instead("java.lang.Class.getResourceAsStream(Ljava/lang/String;)Ljava/io/InputStream;")
  static @Nullable InputStream resource(Class<?> beside, String name) {
    String type = beside.getName();
    String folder = type.substring(0, type.lastIndexOf('.') + 1).replace('.', '/');
    String text = Host.text(folder + name);
    return text == null ? null : new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads until the part is full or the stream at its end; TeaVM's goes on for ever once full. */
  @Instead("java.io.InputStream.readNBytes([BII)I")
  static int readFully(InputStream in, byte[] target, int offset, int length) throws IOException {
    int got = 0;
    while (got < length) {
      int part = in.read(target, offset + got, length - got);
      if (part < 0) {
        break;
      }
      got += part;
    }
    return got;
  }

  /** As {@link String#format(Locale, String, Object...)}, which is given the root locale only. */
  @Instead(
      "java.lang.String.format(Ljava/util/Locale;Ljava/lang/String;[Ljava/lang/Object;)"
          + "Ljava/lang/String;")
  static String format(Locale locale, String form, Object[] values) {
    return formatted(form, values);
  }

  /** As {@link String#format(String, Object...)}. */
  @Instead("java.lang.String.format(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;")
  static String format(String form, Object[] values) {
    return formatted(form, values);
  }

  /** As {@link String#formatted}. */
  @Instead("java.lang.String.formatted([Ljava/lang/Object;)Ljava/lang/String;")
  static String formatted(String form, Object[] values) {
    return new FormattedText(form, values).make();
  }

  /** Nothing is read in advance, as there is one thread. */
  @Instead(
      "org.allocsim.workloads.io.StoredInput.ahead(Ljava/io/InputStream;)"
          + "Lorg/allocsim/workloads/io/StoredInput;")
  static StoredInput ahead(InputStream stored) throws IOException {
    return StoredInput.of(stored);
  }

  /** One task after the other. */
  @Instead(
      "org.allocsim.analysis.task.ParallelTasks.run(Ljava/util/List;I"
          + "Lorg/allocsim/analysis/task/ParallelTasks$Progress;)Ljava/util/List;")
  static <T> List<T> run(
      List<? extends Callable<T>> tasks, int limit, ParallelTasks.Progress progress) {
    List<T> results = new ArrayList<>();
    for (Callable<T> task : tasks) {
      results.add(resultOf(task));
      progress.done(results.size(), tasks.size());
    }
    return results;
  }

  /** What would run beside runs first. */
  @Instead(
      "org.allocsim.analysis.task.ParallelTasks.beside(Ljava/util/concurrent/Callable;)"
          + "Ljava/util/function/Supplier;")
  static <T> Supplier<T> beside(Callable<T> task) {
    T result = resultOf(task);
    return () -> result;
  }

  private static <T> T resultOf(Callable<T> task) {
    try {
      return task.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** The upper half of a product; of its four partial products the lowest only carries. */
  @Instead("java.lang.Math.multiplyHigh(JJ)J")
  static long multiplyHigh(long a, long b) {
    long low = 0xffff_ffffL;
    long carry = (a & low) * (b & low) >>> 32;
    long middle = (a >> 32) * (b & low) + carry;
    long other = (a & low) * (b >> 32) + (middle & low);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
  }

  /** The same numbers, one after the other. */
  @Instead("java.util.stream.LongStream.parallel()Ljava/util/stream/LongStream;")
  static LongStream parallel(LongStream numbers) {
    return numbers;
  }

  /** One element or none. */
  @Instead("java.util.stream.Stream.ofNullable(Ljava/lang/Object;)Ljava/util/stream/Stream;")
  static <T> Stream<T> ofNullable(T element) {
    return element == null ? Stream.empty() : Stream.of(element);
  }

  /** The map itself; the program has tests that nobody changes it. */
  @Instead(
      "java.util.Collections.unmodifiableSortedMap(Ljava/util/SortedMap;)Ljava/util/SortedMap;")
  static <K, V> SortedMap<K, V> unmodifiable(SortedMap<K, V> map) {
    return map;
  }

  /** A message that nobody sees: failures of these formulas are caught, or defects. */
  @Instead(
      "org.apache.commons.math3.exception.util.ExceptionContext.buildMessage"
          + "(Ljava/util/Locale;Ljava/lang/String;)Ljava/lang/String;")
  static String message(ExceptionContext context, Locale locale, String separator) {
    return "a formula has no result";
  }

  /** Names of classes that nobody asked for are not kept. */
  @Instead(value = "java.lang.Class.getName()Ljava/lang/String;", in = "java.lang.Object")
  static String nameOf(Class<?> type) {
    return "an object";
  }
}
