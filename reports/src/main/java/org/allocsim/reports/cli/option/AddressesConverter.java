package org.allocsim.reports.cli.option;

import java.util.Arrays;
import org.allocsim.reports.input.Addresses;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads where addresses come from. */
public final class AddressesConverter implements ITypeConverter<Addresses> {
  @Override
  public Addresses convert(String text) {
    return Arrays.stream(Addresses.values())
        .filter(each -> each.toString().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () -> new TypeConversionException("'" + text + "' is neither recorded nor modelled"));
  }
}
