package example.exactcache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.api.Test;

/** The policy's own rules. */
class ExactCacheTest {
  @Test
  void aBlockServesRequestsOfItsSizeOnly() throws Exception {
    RequestScript script = new RequestScript("exact-cache", Map.of());
    int first = script.allocate(1000);
    script.free(first);
    int other = script.allocate(1025);
    int same = script.allocate(513);
    assertEquals(script.address(first), script.address(same));
    assertEquals(List.of(1024L, 1536L), script.deviceRequests());
    assertEquals(1536, script.blockBytes(other));
  }

  @Test
  void theUnitCanBeSet() throws Exception {
    RequestScript script = new RequestScript("exact-cache", Map.of("unit", "2MiB"));
    assertEquals(2 << 20, script.blockBytes(script.allocate(1)));
  }
}
