package org.allocsim.reports.cli;

import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads where addresses come from. */
final class AddressesConverter implements ITypeConverter<Addresses> {
  @Override
  public Addresses convert(String text) {
    return Arrays.stream(Addresses.values())
        .filter(each -> each.toString().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () -> new TypeConversionException("'" + text + "' is neither recorded nor modelled"));
  }
}
