package org.allocsim.reports.advice;
import java.util.*;
import org.junit.jupiter.api.Test;
import org.allocsim.simulator.device.*;
class ScratchTest {
  static Map<String, RecordedRun> runs = new HashMap<>();
  static RecordedRun run(String n) { return runs.computeIfAbsent(n, RecordedRun::model); }
  @Test void all() throws Exception {
    String[][] fams = {{"gpt_oom","gpt_oom.expandable","gpt_oom.max_split_64"},{"vision_varsize","vision_varsize.limit"},{"device_oom","device_oom.expandable"},
      {"gpt_varlen","gpt_varlen.expandable","gpt_varlen.max_split_32","gpt_varlen.roundup4","gpt_varlen.rounduplist","gpt_varlen.gc06"},{"llama_generate","llama_generate.expandable"},{"cat_growth","cat_growth.expandable"},
      {"gpt_empty"},{"cuda_graph"},{"mempool"},{"prefetch_streams"},{"gpt_ckpt"},{"gpt_fixed_accum_amp"},{"leak_losses"},{"resnet50_amp"},{"vit_train"},{"late_start"},{"gpt_fixed_accum_amp","gpt_fixed_accum_amp.stacks"}};
    for (String[] f : fams) for (String a : f) for (String b : f) { if (Boolean.getBoolean("exp") && (!a.endsWith("expandable")||a.equals(b))) continue;
      Prediction p = Prediction.of(run(a), run(b));
      AddressHistory h = run(a).addressHistory();
      System.out.printf("%s -> %s: peak %s stats %d rows %d/%d followed %d hist %d %s fail %s/%s [%s]%n", a, b, p.isPeakEqual(), p.valuesEqual(), p.rowsAtPlace(), p.target().effects().count(), p.followed(), h.count(), h.isKnown(), p.hasFailures()?p.isFailureEqual():"-", p.modelled().firstOom().map(o->""+o.requestIndex()).orElse("none"), p.difference());
    }
  }
}
