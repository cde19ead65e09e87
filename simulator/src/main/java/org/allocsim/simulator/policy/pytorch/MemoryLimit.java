package org.allocsim.simulator.policy.pytorch;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** The allocator's own limit on reserved memory, {@code set_per_process_memory_fraction}. */
public final class MemoryLimit {
  /** No limit but the device's. */
  public static final long NONE = -1;

  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");

  private MemoryLimit() {}

  /**
   * The limit in bytes that a fraction of a device comes to: the product, cut to whole bytes or
   * rounded to them (see {@link PyTorchVersion#roundsLimits()}); no limit for a fraction of 1 in
   * releases where that removes it (see {@link PyTorchVersion#isFractionOneALimit()}).
   *
   * @param totalBytes size of the device ({@code totalGlobalMem})
   * @return bytes, or {@link #NONE}
   * @throws ConfigException where the fraction is outside 0 to 1, with PyTorch's text
   */
  public static long ofFraction(double fraction, long totalBytes, PyTorchVersion version)
      throws ConfigException {
    if (!(fraction >= 0 && fraction <= 1)) {
      throw new ConfigException(
          "ValueError", "Invalid fraction value: " + pythonText(fraction) + ". Allowed range: 0~1");
    }
    if (fraction == 1 && !version.isFractionOneALimit()) {
      return NONE;
    }
    double bytes = fraction * totalBytes;
    return version.roundsLimits() ? Math.round(bytes) : (long) bytes;
  }

  /**
   * As {@link #ofFraction(double, long, PyTorchVersion)}, for a fraction given as text.
   *
   * @throws ConfigException where the text is not a number, with PyTorch's text for a value that is
   *     not a float
   */
  public static long ofFraction(String fraction, long totalBytes, PyTorchVersion version)
      throws ConfigException {
    String text = fraction.strip();
    if (!DECIMAL.matcher(text).matches()) {
      throw new ConfigException("TypeError", "Invalid type for fraction argument, must be `float`");
    }
    return ofFraction(Double.parseDouble(text), totalBytes, version);
  }

  /** A double as Python prints it. */
  private static String pythonText(double value) {
    if (Double.isNaN(value)) {
      return "nan";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    String text = Double.toString(value);
    int exponentAt = text.indexOf('E');
    if (exponentAt < 0) {
      return text;
    }
    // Java switches to exponents at 1e-3 and 1e7, Python at 1e-4 and 1e16.
    int exponent = Integer.parseInt(text.substring(exponentAt + 1));
    if (exponent >= -4 && exponent < 16) {
      String plain = new BigDecimal(text).stripTrailingZeros().toPlainString();
      return plain.contains(".") ? plain : plain + ".0";
    }
    String mantissa = text.substring(0, exponentAt);
    if (mantissa.endsWith(".0")) {
      mantissa = mantissa.substring(0, mantissa.length() - 2);
    }
    String digits = Integer.toString(Math.abs(exponent));
    return mantissa + "e" + (exponent < 0 ? "-" : "+") + (digits.length() < 2 ? "0" : "") + digits;
  }
}
