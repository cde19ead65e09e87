package org.allocsim.workloads.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFileTest {
  private static String h100() throws IOException {
    try (InputStream in = ShippedProfiles.class.getResourceAsStream("h100-80gb.json")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static DeviceProfile read(String text) throws ProfileException, IOException {
    return ProfileFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String refusal(String text) {
    return assertThrows(ProfileException.class, () -> read(text)).getMessage();
  }

  /** Writes a map of texts, numbers and maps. */
  private static String json(Map<String, Object> map) {
    StringBuilder text = new StringBuilder("{");
    map.forEach((name, value) -> {
      text.append(text.length() > 1 ? "," : "").append('"').append(name).append("\":");
      if (value instanceof Map<?, ?> inner) {
        @SuppressWarnings("unchecked") // Fields are maps with texts as keys.
        Map<String, Object> fields = (Map<String, Object>) inner;
        text.append(json(fields));
      } else {
        text.append(value instanceof Long ? value : "\"" + value + "\"");
      }
    });
    return text.append('}').toString();
  }

  @Test
  void theDefaultDeviceIsTheShippedOne() {
    assertEquals(DeviceProfiles.defaultProfile(), ShippedProfiles.named("h100-80gb"));
  }

  @ParameterizedTest
  @CsvSource({
    "RTX 4090, rtx-4090",
    "NVIDIA GeForce RTX 4090, rtx-4090",
    "NVIDIA H100 80GB HBM3, h100-80gb",
    "NVIDIA A100-SXM4-80GB, a100-80gb",
    "Tesla V100-SXM2-16GB, v100-16gb",
    "Tesla T4, t4",
    "rtx 4090, rtx-4090",
    "4090, rtx-4090",
    "RTX 3090 24GB, rtx-3090",
    "RTX 3080, rtx-3080-10gb",
    "NVIDIA A10G, a10g",
    "NVIDIA RTX A6000, rtx-a6000",
    "A6000, rtx-a6000",
    "NVIDIA RTX 6000 Ada Generation, rtx-6000-ada",
    "NVIDIA GH200 480GB, gh200-96gb",
    "GH200, gh200-96gb",
    "NVIDIA H100 NVL, h100-nvl",
    "H100, h100-80gb",
    "GeForce RTX 2080 Ti, rtx-2080-ti",
    "l40s 48gb, l40s",
  })
  void gpuIsFoundAsTheDriverCallsIt(String called, String name) {
    assertEquals(name, ShippedProfiles.named(called).name());
  }

  @ParameterizedTest
  @CsvSource({"A100", "V100", "RTX 3060 8GB", "RTX 3090 12GB", "RTX 2080", "A100 64GB"})
  void aGpuOfWhichSeveralOrNoneAreKnownIsRefused(String called) {
    assertThrows(IllegalArgumentException.class, () -> ShippedProfiles.named(called));
  }

  @Test
  void everyShippedProfileHasItsNameAndSaysWhereItIsFrom() {
    assertEquals(26, ShippedProfiles.names().size());
    for (String name : ShippedProfiles.names()) {
      DeviceProfile profile = ShippedProfiles.named(name);
      assertEquals(name, profile.name());
      boolean measured = profile.origin() == DeviceProfile.Origin.MEASURED;
      assertEquals(Set.of("h100-80gb", "h200").contains(name), measured, name);
      assertTrue(profile.source().length() > 20, name);
      assertTrue(profile.compute().source().contains("NVIDIA") || name.equals("a10g"), name);
    }
    assertEquals(149_557_477_376L, new SimulatedDevice(ShippedProfiles.named("h200")).freeBytes());
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> ShippedProfiles.named("quadro"));
    assertTrue(error.getMessage().contains("h100-80gb, h200"), error.getMessage());
  }

  @ParameterizedTest
  @CsvSource({
    "AMD Instinct MI300X, mi300x",
    "NVIDIA GeForce RTX 4060 Ti, rtx-4060-ti-16gb",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition, rtx-pro-6000",
    "AMD Radeon RX 7900 XTX, rx-7900-xtx",
    "NVIDIA GB10, gb10",
    "RTX 5080, rtx-5080",
  })
  void otherGpusAreFoundByTheirNamesAndStandForNone(String called, String name) {
    DeviceProfile profile = ShippedProfiles.named(called);
    assertEquals(name, profile.name());
    assertTrue(ShippedProfiles.others().contains(profile));
    assertFalse(ShippedProfiles.all().contains(profile));
  }

  @Test
  void sharedMemoryIsToldAndMistypedNamesAreCorrected() {
    assertEquals(17, ShippedProfiles.others().size());
    assertEquals(
        List.of("gb10", "jetson-orin-64gb", "jetson-orin-8gb", "jetson-thor", "strix-halo-128gb"),
        ShippedProfiles.others().stream()
            .filter(each -> each.source().contains("unified memory"))
            .map(DeviceProfile::name)
            .toList());
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> ShippedProfiles.named("mi300y"));
    assertTrue(error.getMessage().contains("mi300x"), error.getMessage());
  }

  @Test
  void aProfileReadsAsItWasWritten() throws ProfileException, IOException {
    for (DeviceProfile profile : ShippedProfiles.all()) {
      assertEquals(profile, read(json(ProfileFile.fields(profile))));
    }
  }

  @Test
  void aProfileThatNamesNoLinksHasThoseOfAnH100() throws ProfileException, IOException {
    String text =
        h100()
            .replaceFirst(
                ",\\s*\"link_bytes_per_second\": \\d+,\\s*\"network_bytes_per_second\": \\d+", "");
    assertFalse(text.contains("bytes_per_second\": 450000000000"));
    assertEquals(read(h100()), read(text));
  }

  @Test
  void aMissingAnUnknownAndAMistypedFieldAreNamed() throws IOException {
    String text = h100();
    assertTrue(
        refusal(text.replace("\"map_nanos\": 12000,", ""))
            .startsWith("field 'costs.handles.map_nanos' is missing"),
        () -> refusal(text.replace("\"map_nanos\": 12000,", "")));
    assertEquals(
        "unknown field 'costs.handles.map_nonos'; remove it or correct its name",
        refusal(text.replace("\"map_nanos\": 12000,", "\"map_nanos\": 1, \"map_nonos\": 12,")));
    assertEquals(
        "field 'total_bytes' must be a whole number from 0 to 1152921504606846976; correct it",
        refusal(text.replace("85017493504", "\"much\"")));
    for (String wrong : List.of("-1", "1000000000001")) {
      assertEquals(
          "field 'costs.free_nanos' must be a whole number from 0 to 1000000000000; correct it",
          refusal(text.replace("\"free_nanos\": 55000", "\"free_nanos\": " + wrong)));
    }
    assertEquals(
        "the number in field 'costs.free_nanos' is too large; correct it",
        refusal(text.replace("\"free_nanos\": 55000", "\"free_nanos\": 99999999999999999999")));
    assertEquals(
        "field 'costs.free_nanos' must be a whole number, a string or an object; correct it",
        refusal(text.replace("\"free_nanos\": 55000", "\"free_nanos\": 1.5")));
    assertEquals(
        "field 'origin' must be measured, derived or chosen; correct it",
        refusal(text.replace("\"measured\"", "\"guessed\"")));
    assertEquals(
        "field 'costs' must be an object; correct it",
        refusal(
            text.substring(0, text.indexOf("\"costs\""))
                + "\"costs\": 1"
                + text.substring(text.indexOf(",\n  \"compute\""))));
  }

  @Test
  void figuresThatContradictEachOtherAreRefused() throws IOException {
    String text = h100();
    assertEquals(
        "device profile h100-80gb: 85017493504 bytes with a context of 85017493505 bytes are"
            + " invalid; correct the file",
        refusal(text.replace("552402944", "85017493505")));
    assertEquals(
        "compute.memoryBytesPerSecond is 0 and must be positive; correct the file",
        refusal(text.replace("3350000000000", "0")));
  }

  @Test
  void anotherSchemaIsRefused() throws IOException {
    String text = h100();
    assertTrue(
        refusal(text.replace("allocsim-device-1", "allocsim-device-2"))
            .startsWith("field 'schema' is 'allocsim-device-2', but this allocsim reads"));
    assertTrue(
        refusal(text.replace("\"schema\": \"allocsim-device-1\",", ""))
            .startsWith("field 'schema' is missing"));
  }

  @Test
  void whatIsNoJsonOrCutOrTooLongIsRefused() throws IOException {
    String text = h100();
    for (String bad :
        List.of(
            "",
            "[]",
            "{",
            "\u0000\u0001",
            text.substring(0, text.length() / 2),
            text.replaceFirst("\"name\"", "\"schema\""))) {
      assertTrue(refusal(bad).startsWith("not the JSON of a device profile"), bad);
    }
    assertTrue(refusal(text + "{}").startsWith("extra text after"));
    assertTrue(refusal(" ".repeat(2 << 20)).startsWith("a device profile is at most 1 MiB"));
    String deep = "{\"a\":".repeat(5000) + "1" + "}".repeat(5000);
    assertTrue(refusal(deep).contains("too deep"), refusal(deep));
  }

  @Test
  void parametersAreReplacedByName() {
    DriverCosts costs =
        ProfileFile.withParameters(
            DriverCosts.H100, Map.of("free_nanos", 7L, "handles.map_nanos", 8L));
    assertEquals(7, costs.freeNanos());
    assertEquals(8, costs.handles().mapNanos());
    assertEquals(DriverCosts.H100.async(), costs.async());
    assertThrows(
        IllegalArgumentException.class,
        () -> ProfileFile.withParameters(DriverCosts.H100, Map.of("handles.mapNanos", 1L)));
    assertThrows(
        IllegalArgumentException.class,
        () -> ProfileFile.withParameters(DriverCosts.H100, Map.of("free_nanos", -1L)));
  }
}
