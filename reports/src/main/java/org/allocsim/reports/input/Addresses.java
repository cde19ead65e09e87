package org.allocsim.reports.input;

import java.util.Locale;

/** Where the addresses of a replay come from, and the device's refusals with them. */
public enum Addresses {
  /** From the recording: what the real device answered. */
  RECORDED,
  /** From the simulated device. */
  MODELLED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
