package org.allocsim.simulator.policy;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.simulator.typed.TypedNumber;

/**
 * The option values that a policy is made with, read strictly: an option that the policy does not
 * have, or a value that is not of its kind, ends in a {@link PolicyOptionException} whose sentence
 * names both. An option that is not set has the default that the description states.
 */
public final class PolicyOptions {
  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,19})?)\\s*([A-Za-z]*)");

  private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");

  private static final Pattern FRACTION = Pattern.compile("[0-9]{1,9}(?:\\.[0-9]{1,18})?");

  private static final Map<String, Integer> UNIT_SHIFTS =
      Map.of("", 0, "b", 0, "kib", 10, "mib", 20, "gib", 30, "tib", 40, "pib", 50);

  private final String policy;
  private final Map<String, String> values = new HashMap<>();

  /**
   * The options of a policy.
   *
   * @throws PolicyOptionException where an option is set that the policy does not have
   */
  public PolicyOptions(PolicySpec spec, PolicySettings settings) throws PolicyOptionException {
    check(spec, settings);
    policy = spec.id();
    for (PolicySpec.Option option : spec.options()) {
      values.put(option.name(), settings.option(option.name(), option.defaultValue()));
    }
  }

  /** Refuses options that the policy does not have. */
  private static void check(PolicySpec spec, PolicySettings settings) throws PolicyOptionException {
    List<String> known = spec.optionNames();
    for (String name : new TreeSet<>(settings.options().keySet())) {
      if (!known.contains(name)) {
        throw new PolicyOptionException(
            "policy %s has no option '%s'; %s"
                .formatted(
                    spec.id(),
                    name,
                    known.isEmpty()
                        ? "it has none"
                        : SimilarName.remedy(
                            name, known, "its options are " + String.join(", ", known))));
      }
    }
  }

  /** Value of an option as it was written. */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("policy " + policy + " does not describe option " + name);
    }
    return value;
  }

  /**
   * A number of bytes: {@code 4096}, or with a binary unit from KiB to PiB as {@code 64MiB} or
   * {@code 1.5GiB}; part of a byte is dropped. Decimal units are refused.
   *
   * @param least smallest value that is valid
   */
  public long bytes(String name, long least) throws PolicyOptionException {
    String text = TypedNumber.plain(text(name));
    Matcher size = SIZE.matcher(text);
    Integer shift = size.matches() ? UNIT_SHIFTS.get(size.group(2).toLowerCase(Locale.ROOT)) : null;
    if (shift == null) {
      throw wrong(name, "a size; write bytes or a binary unit, such as 512KiB or 64MiB");
    }
    BigDecimal number = new BigDecimal(size.group(1));
    if (shift == 0 && number.scale() > 0) {
      throw wrong(name, "a whole number of bytes; write one, or add a unit such as MiB");
    }
    BigDecimal bytes =
        number.multiply(BigDecimal.valueOf(1L << shift)).setScale(0, RoundingMode.DOWN);
    if (bytes.toBigInteger().bitLength() > 63) {
      throw wrong(name, "below 2^63 bytes; write a smaller size");
    }
    if (bytes.longValueExact() < least) {
      throw wrong(name, "at least " + least + " bytes; write a larger size");
    }
    return bytes.longValueExact();
  }

  /** A whole number from {@code least} to {@code most}. */
  public long integer(String name, long least, long most) throws PolicyOptionException {
    String text = TypedNumber.plain(text(name));
    if (!INTEGER.matcher(text).matches()
        || Long.parseLong(text) < least
        || Long.parseLong(text) > most) {
      throw wrong(
          name,
          most == Long.MAX_VALUE
              ? "a whole number of at least " + least
              : "a whole number from " + least + " to " + most);
    }
    return Long.parseLong(text);
  }

  /** A number from {@code least} to {@code most}, such as {@code 0.8}. */
  public double fraction(String name, double least, double most) throws PolicyOptionException {
    String text = TypedNumber.plain(text(name));
    if (!FRACTION.matcher(text).matches()
        || Double.parseDouble(text) < least
        || Double.parseDouble(text) > most) {
      throw wrong(name, "a number from " + least + " to " + most);
    }
    return Double.parseDouble(text);
  }

  /** {@code true} or {@code false}. */
  public boolean flag(String name) throws PolicyOptionException {
    return switch (text(name).strip().toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw wrong(name, "true or false");
    };
  }

  /** The exception for a value that is not what the option takes, for a policy's own kinds. */
  public PolicyOptionException wrong(String name, String expected) {
    return new PolicyOptionException(
        "option %s of policy %s is '%s', which is not %s"
            .formatted(name, policy, text(name), expected));
  }
}
