package org.allocsim.reports.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** uPlot is in the page as it was published: npm package uplot 1.6.32, MIT licence. */
class ChartLibraryTest {
  private static byte[] file(String name) throws IOException {
    try (InputStream in = ReportPage.class.getResourceAsStream("uplot/" + name)) {
      return in.readAllBytes();
    }
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  @Test
  void filesAreThoseOfThePublishedPackage() throws IOException, NoSuchAlgorithmException {
    assertEquals(
        "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
        sha256(file("uPlot.iife.min.js")));
    assertEquals(
        "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
        sha256(file("uPlot.min.css")));
  }

  @Test
  void itsLicenceComesWithIt() throws IOException {
    String licence = new String(file("LICENSE"), StandardCharsets.UTF_8);
    assertTrue(licence.startsWith("The MIT License"), licence);
    assertTrue(licence.contains("Leon Sorokin"), licence);
  }
}
