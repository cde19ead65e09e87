package org.allocsim.web.standin.org.apache.commons.math3.util;

/** The platform's functions; those of the library bring 90 kB of tables. */
public final class FastMath {
  private FastMath() {}

  /** As {@link Math#abs(double)}. */
  public static double abs(double x) {
    return Math.abs(x);
  }

  /** As {@link Math#abs(long)}. */
  public static long abs(long x) {
    return Math.abs(x);
  }

  /** As {@link Math#exp}. */
  public static double exp(double x) {
    return Math.exp(x);
  }

  /** As {@link Math#floor}. */
  public static double floor(double x) {
    return Math.floor(x);
  }

  /** As {@link Math#log}. */
  public static double log(double x) {
    return Math.log(x);
  }

  /** As {@link Math#log1p}. */
  public static double log1p(double x) {
    return Math.log1p(x);
  }

  /** As {@link Math#max(double, double)}. */
  public static double max(double a, double b) {
    return Math.max(a, b);
  }

  /** As {@link Math#min(int, int)}. */
  public static int min(int a, int b) {
    return Math.min(a, b);
  }

  /** As {@link Math#min(double, double)}. */
  public static double min(double a, double b) {
    return Math.min(a, b);
  }

  /** As {@link Math#pow}. */
  public static double pow(double base, double exponent) {
    return Math.pow(base, exponent);
  }

  /** As {@link Math#rint}. */
  public static double rint(double x) {
    return Math.rint(x);
  }

  /** As {@link Math#sin}. */
  public static double sin(double x) {
    return Math.sin(x);
  }

  /** As {@link Math#sqrt}. */
  public static double sqrt(double x) {
    return Math.sqrt(x);
  }
}
