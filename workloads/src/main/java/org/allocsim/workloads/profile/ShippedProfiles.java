package org.allocsim.workloads.profile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.typed.SimilarName;

/**
 * The device profiles that come with the program, one file each beside this class. Those of H100
 * and H200 were measured; the others have a size that such a GPU reported elsewhere and its
 * published speed, and all else as recorded on H100. Each says where it is from.
 */
public final class ShippedProfiles {
  /** The size with which names of devices end that come in several. */
  private static final Pattern SIZE_AT_END = Pattern.compile("-[0-9]+gb$");

  private static final List<String> NAMES =
      List.of(
          "h100-80gb",
          "h200",
          "b200",
          "gh200-96gb",
          "h20",
          "h100-nvl",
          "a100-80gb",
          "a100-40gb",
          "a30",
          "v100-32gb",
          "v100-16gb",
          "l40s",
          "a40",
          "rtx-6000-ada",
          "rtx-a6000",
          "a10",
          "a10g",
          "l4",
          "t4",
          "rtx-5090",
          "rtx-4090",
          "rtx-4080",
          "rtx-3090",
          "rtx-3080-10gb",
          "rtx-3060-12gb",
          "rtx-2080-ti");

  /**
   * Further GPUs that one may ask for. No recording is taken to be of one of them, and none is
   * offered instead of another: where they are AMD's or share the memory of their host, a program
   * for the others does not run there, or other things take of it.
   */
  private static final List<String> OTHER_NAMES =
      List.of(
          "rtx-4060-ti-16gb",
          "rtx-4070",
          "rtx-5070-ti",
          "rtx-5080",
          "rtx-pro-6000",
          "b300",
          "gb10",
          "jetson-orin-64gb",
          "jetson-orin-8gb",
          "jetson-thor",
          "mi250x",
          "mi300x",
          "mi325x",
          "mi355x",
          "rx-7900-xtx",
          "w7900",
          "strix-halo-128gb");

  /** What a name may have or lack: maker, series, form factor, kind of memory, punctuation. */
  private static final Pattern NOISE =
      Pattern.compile(
          "nvidia|geforce|tesla|rtx|generation|sxm[0-9]?|pcie|hbm[0-9]e?|amd|radeon|instinct"
              + "|jetson|agx|blackwell|workstation|edition|max-q|[^a-z0-9]");

  private static final Pattern MAKER = Pattern.compile("nvidia|geforce|tesla|amd|radeon|instinct");

  /** A size of memory; the one in the driver's name of a GH200 is that of its host. */
  private static final Pattern SIZE = Pattern.compile("(?<![0-9])([0-9]{1,3}) ?gb");

  private static final Pattern HOST_SIZE = Pattern.compile("(?<=gh200 )(480|120)gb");

  /** Sizes are said in round numbers of gigabytes, which are up to a tenth above CUDA's. */
  private static final double ROUNDING = 0.1;

  private ShippedProfiles() {}

  /** Names of all shipped profiles, the measured ones first. */
  public static List<String> names() {
    return NAMES;
  }

  /** Profiles that are found by their names only. */
  public static List<DeviceProfile> others() {
    return Holder.OTHERS;
  }

  /** All shipped profiles but {@link #others}, the measured ones first. */
  public static List<DeviceProfile> all() {
    return Holder.PROFILES;
  }

  /**
   * The shipped profile with this name, or of the GPU that the driver or people call so: {@code
   * rtx-4090}, {@code RTX 4090}, {@code 4090 24GB} and {@code NVIDIA GeForce RTX 4090} are one. A
   * size may be missing where it distinguishes nothing. The name of a slice that Multi-Instance GPU
   * makes may follow: {@code h100-80gb 3g.40gb}.
   *
   * @throws IllegalArgumentException for an unknown name, with a similar one or the known ones
   */
  public static DeviceProfile named(String name) {
    return MigSlices.named(name).orElseGet(() -> whole(name));
  }

  private static DeviceProfile whole(String name) {
    List<DeviceProfile> models =
        Stream.concat(all().stream(), others().stream())
            .filter(each -> isCalled(each, name))
            .toList();
    List<String> known = Stream.concat(NAMES.stream(), OTHER_NAMES.stream()).toList();
    if (models.size() == 1) {
      return models.getFirst();
    }
    throw new IllegalArgumentException(
        "unknown device '%s'; %s"
            .formatted(
                RecordFields.printable(name),
                similar(MAKER.matcher(plain(name)).replaceAll(""), known)));
  }

  /** The device that a mistyped name may mean, also where only its size is missing; else all. */
  private static String similar(String name, List<String> known) {
    List<String> models =
        known.stream().map(each -> SIZE_AT_END.matcher(each).replaceAll("")).toList();
    return SimilarName.of(name, known)
        .or(() -> SimilarName.of(name, models).map(model -> known.get(models.indexOf(model))))
        .map(each -> "did you mean '" + each + "'?")
        .orElse("known devices are " + String.join(", ", known));
  }

  /** Whether a name means the profile: the same model, and no other size. */
  private static boolean isCalled(DeviceProfile profile, String name) {
    if (!model(name).equals(model(profile.name()))) {
      return false;
    }
    Matcher size = SIZE.matcher(plain(name));
    Matcher own = SIZE.matcher(profile.name());
    if (!size.find()) {
      return true;
    }
    double bytes = Long.parseLong(size.group(1)) * (double) (1L << 30);
    return own.find()
        ? own.group(1).equals(size.group(1))
        : profile.totalBytes() <= bytes && profile.totalBytes() >= (1 - ROUNDING) * bytes;
  }

  /** A name without its size and without noise. */
  private static String model(String name) {
    return NOISE.matcher(SIZE.matcher(plain(name)).replaceAll("")).replaceAll("");
  }

  private static String plain(String name) {
    return HOST_SIZE.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
  }

  /** Reads the files when they are first needed. */
  private static final class Holder {
    static final List<DeviceProfile> PROFILES = read("", NAMES);
    static final List<DeviceProfile> OTHERS = read("more/", OTHER_NAMES);

    private static List<DeviceProfile> read(String folder, List<String> names) {
      List<DeviceProfile> profiles = new ArrayList<>();
      for (String name : names) {
        try (InputStream in = ShippedProfiles.class.getResourceAsStream(folder + name + ".json")) {
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
