package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;

class GivenUpPoolsTest {
  private final Pools pools = new Pools(false, PyTorchVersion.DEFAULT, EffectListeners.NONE);

  private PrivatePool pool(int number) {
    return new PrivatePool(
        number, PrivatePoolOptions.PLAIN, pools.defaultSmall, pools.defaultLarge);
  }

  private static PoolId id(String text) {
    int comma = text.indexOf(',');
    return new PoolId(
        Long.parseLong(text.substring(0, comma)), Long.parseLong(text.substring(comma + 1)));
  }

  /**
   * The file has what the map itself does (c10/util/flat_hash_map.h of PyTorch 2.14.1 with the hash
   * of c10/core/Allocator.h): at random a pool that comes (+) or goes (−), then all in their order.
   */
  @Test
  void poolsComeInTheOrderOfPyTorchsHashMap() throws Exception {
    List<String> lines;
    try (InputStream file = GivenUpPoolsTest.class.getResourceAsStream("freeable-pools.txt")) {
      lines = new String(file.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
    }
    GivenUpPools givenUp = new GivenUpPools();
    Map<String, PrivatePool> made = new HashMap<>();
    Map<PrivatePool, String> names = new HashMap<>();
    int changes = 0;
    for (String line : lines) {
      if (line.equals("new")) {
        givenUp = new GivenUpPools();
        made.clear();
        continue;
      }
      int space = line.indexOf(' ');
      String name = line.substring(1, space < 0 ? line.length() : space);
      if (line.charAt(0) == '+') {
        PrivatePool pool = pool(changes + 1);
        made.put(name, pool);
        names.put(pool, name);
        givenUp.add(pool, id(name));
      } else {
        givenUp.remove(made.remove(name));
      }
      assertEquals(
          space < 0 ? "" : line.substring(space + 1),
          givenUp.inOrder().stream().map(names::get).collect(Collectors.joining(" ")),
          "after change " + ++changes);
    }
    assertEquals(300, changes);
  }

  @Test
  void poolsThatNobodyNamedComeLastByTheirNumber() {
    GivenUpPools givenUp = new GivenUpPools();
    List<PrivatePool> made = List.of(pool(3), pool(1), pool(2));
    givenUp.add(made.get(0), PoolId.unnamed(0));
    givenUp.add(made.get(1), PoolId.unnamed(5));
    givenUp.add(made.get(2), new PoolId(0, 7));
    assertEquals(List.of(made.get(2), made.get(1), made.get(0)), givenUp.inOrder());
    givenUp.remove(made.get(1));
    assertEquals(List.of(made.get(2), made.get(0)), givenUp.inOrder());
  }
}
