package org.allocsim.workloads.profile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceProfile;

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
   * The shipped profile with this name.
   *
   * @throws IllegalArgumentException for an unknown name, with the known ones
   */
  public static DeviceProfile named(String name) {
    int index = NAMES.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "unknown device '%s'; known devices are %s"
              .formatted(RecordFields.printable(name), String.join(", ", NAMES)));
    }
    return Holder.PROFILES.get(index);
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
