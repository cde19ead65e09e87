package org.allocsim.validation.gpu;

import java.util.Locale;
import tools.jackson.databind.JsonNode;

/** The part of the page of results that {@code allocsim validate pytorch} wrote. */
final class TorchResults {
  private TorchResults() {}

  static String of(String name, JsonNode json) {
    StringBuilder page = new StringBuilder();
    page.append("## ").append(name).append("\n\n");
    page.append(
        """
        %s, %s, driver %s, PyTorch %s. PyTorch's own allocator served the requests of synthetic
        programs, `allocsim validate pytorch --random`. Each column counts the cases in which every
        event and all of `memory_stats()` are exact:

        - *reproduced*: the requests are known and the driver returns the recorded addresses
        - *verified*: only the recorded snapshot is known; its end state is compared as well,
          counters of calls that leave no event are not
        - *predicted*: only the requests are known; actions, sizes, failed requests and their messages
        - *addresses*: predicted, and every address too, relative to two of the process

        | settings | cases | not run | reproduced | verified | predicted | addresses | events | failed requests |
        |---|---|---|---|---|---|---|---|---|
        """
            .formatted(
                json.get("date").asString(),
                json.get("device").asString(),
                json.get("driver").asString(),
                json.get("torch").asString()));
    long rechecked = 0;
    for (JsonNode each : json.get("settings")) {
      String conf = each.get("conf").asString();
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %d | %d | %d | %d | %d | %d | %d |\n",
              conf.isEmpty() ? "default" : '`' + conf + '`',
              each.get("cases").asLong(),
              each.get("not_run").asLong(),
              ResultsPage.either(each, "reproduced", "repeated").asLong(),
              each.get("verified").asLong(),
              ResultsPage.either(each, "predicted", "foreseen").asLong(),
              ResultsPage.either(each, "predicted_with_addresses", "foreseen_with_addresses")
                  .asLong(),
              each.get("events").asLong(),
              each.get("failed_requests").asLong()));
      rechecked += each.has("rechecked") ? each.get("rechecked").asLong() : 0;
    }
    page.append('\n');
    if (rechecked > 0) {
      page.append(
          "%d cases were compared again with the files of the same run after the simulation had been corrected.\n\n"
              .formatted(rechecked));
    }
    for (JsonNode each : json.get("cases")) {
      String conf = each.get("conf").asString();
      String what = each.get("program").asString() + (conf.isEmpty() ? "" : " with `" + conf + '`');
      if (each.has("not_run")) {
        page.append("- ").append(what).append(" was not run: ");
        page.append(each.get("not_run").asString()).append('\n');
      } else {
        page.append("- ").append(what).append(", not verified, ");
        page.append(each.get("first_divergence").asString()).append('\n');
      }
    }
    return page.append('\n').toString();
  }
}
