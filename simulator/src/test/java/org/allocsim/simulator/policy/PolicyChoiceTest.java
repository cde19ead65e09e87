package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyChoiceTest {
  private static List<String> labels(String list) {
    return PolicyChoice.parseList(list).stream().map(PolicyChoice::label).toList();
  }

  @Test
  void optionsStandInParenthesesAndAreOrderedByName() {
    PolicyChoice choice = PolicyChoice.parse(" rmm-pool ( max = 1GiB ; initial=256MiB)");
    assertEquals("rmm-pool", choice.provider().spec().id());
    assertEquals(Map.of("initial", "256MiB", "max", "1GiB"), choice.options());
    assertEquals("rmm-pool(initial=256MiB;max=1GiB)", choice.label());
    assertEquals("rmm-pool", PolicyChoice.parse("rmm-pool").label());
  }

  @Test
  void valueMayHaveEqualsSignsAndCommas() {
    assertEquals(
        List.of("cub", "pytorch(conf=a:1,b:[2,c=3])", "direct"),
        labels("cub, pytorch(conf=a:1,b:[2,c=3]) ,direct"));
  }

  @Test
  void allStandsForEveryPolicyByAscendingId() {
    List<String> ids = Policies.all().stream().map(provider -> provider.spec().id()).toList();
    assertEquals(ids, labels("all"));
    assertEquals(ids, ids.stream().sorted().toList());
    assertEquals("cub", labels("cub,all").getFirst());
  }

  @Test
  void choiceKeepsItsOwnCopyOfTheOptions() {
    Map<String, String> options = new HashMap<>(Map.of("max-bin", "5"));
    PolicyChoice choice = new PolicyChoice(Policies.named("cub").orElseThrow(), options);
    options.put("max-bin", "6");
    assertEquals("cub(max-bin=5)", choice.label());
    assertThrows(UnsupportedOperationException.class, () -> choice.options().clear());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cubb           | 'cubb' is not a policy; did you mean 'cub'?",
        "cub(max-bin=5  | 'cub(max-bin=5' has no closing parenthesis;"
            + " write cub(name=value;name=value)",
        "cub(max-bin=5),cub(a,b | 'cub(a,b' has no closing parenthesis;"
            + " write cub(name=value;name=value)",
        "cub()          | '' is not an option of the form name=value",
        "cub(max-bin)   | 'max-bin' is not an option of the form name=value",
        "cub(maxbin=5)  | policy cub has no option 'maxbin'; did you mean 'max-bin'?",
        "cub(colour=5)  | policy cub has no option 'colour';"
            + " it has bin-growth, min-bin, max-bin, max-cached",
        "cupy(colour=5) | policy cupy has no option 'colour'; it has none"
      })
  void whatIsNoChoiceIsRefusedWithASentence(String list, String sentence) {
    assertEquals(
        sentence,
        assertThrows(IllegalArgumentException.class, () -> PolicyChoice.parseList(list))
            .getMessage());
  }

  @Test
  void unknownPolicyLikeNoOtherIsRefusedWithAllIds() {
    String ids =
        String.join(", ", Policies.all().stream().map(provider -> provider.spec().id()).toList());
    assertEquals("known policies are " + ids, Policies.remedy("?"));
  }
}
