package org.allocsim.workloads.profile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.typed.SimilarName;

/**
 * The device profiles that come with the program, one file each beside this class. Those of H100
 * and H200 were measured; the others have the GPU's published size and speed, and all else as
 * recorded on H100. Each says where it is from.
 */
public final class ShippedProfiles {
  private static final List<String> NAMES =
      List.of(
          "h100-80gb",
          "h200",
          "a100-80gb",
          "a100-40gb",
          "v100-32gb",
          "v100-16gb",
          "rtx-4090",
          "rtx-3090",
          "rtx-3060-12gb",
          "l4",
          "t4");

  private static final Pattern NOISE =
      Pattern.compile("nvidia|geforce|tesla|sxm[0-9]?|pcie|hbm[0-9]e?|[^a-z0-9]");

  private ShippedProfiles() {}

  /** Names of all shipped profiles, the measured ones first. */
  public static List<String> names() {
    return NAMES;
  }

  /** All shipped profiles, the measured ones first. */
  public static List<DeviceProfile> all() {
    return Holder.PROFILES;
  }

  /**
   * The shipped profile with this name, or of the GPU that the driver or people call so: {@code
   * rtx-4090}, {@code RTX 4090} and {@code NVIDIA GeForce RTX 4090} are one.
   *
   * @throws IllegalArgumentException for an unknown name, with the known ones
   */
  public static DeviceProfile named(String name) {
    List<String> plain = NAMES.stream().map(ShippedProfiles::plain).toList();
    int index = plain.indexOf(plain(name));
    if (index < 0) {
      throw new IllegalArgumentException(
          "unknown device '%s'; %s"
              .formatted(
                  RecordFields.printable(name),
                  SimilarName.remedy(
                      plain(name), NAMES, "known devices are " + String.join(", ", NAMES))));
    }
    return Holder.PROFILES.get(index);
  }

  /** A name without maker, series, form factor, kind of memory and punctuation. */
  private static String plain(String name) {
    return NOISE.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
  }

  /** Reads the files when they are first needed. */
  private static final class Holder {
    static final List<DeviceProfile> PROFILES = read();

    private static List<DeviceProfile> read() {
      List<DeviceProfile> profiles = new ArrayList<>();
      for (String name : NAMES) {
        try (InputStream in = ShippedProfiles.class.getResourceAsStream(name + ".json")) {
          profiles.add(ProfileFile.read(in));
        } catch (ProfileException e) {
          throw new IllegalStateException(name + ".json: " + e.getMessage(), e);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return List.copyOf(profiles);
    }
  }
}
