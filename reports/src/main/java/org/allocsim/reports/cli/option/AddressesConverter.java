package org.allocsim.reports.cli.option;

import org.allocsim.reports.input.Addresses;
import picocli.CommandLine.ITypeConverter;

/** Reads where addresses come from. */
public final class AddressesConverter implements ITypeConverter<Addresses> {
  @Override
  public Addresses convert(String text) {
    return Choices.of(Addresses.class, text);
  }
}
