package org.allocsim.reports.answer.gpu;

import java.io.IOException;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.QuantityScale.Unit;
import org.allocsim.reports.chart.gpu.PredictedMeasuredChart;
import org.allocsim.reports.chart.gpu.PredictedMeasuredData;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.validation.gpu.DriverTime;
import org.jfree.chart.JFreeChart;

/** Charts of what {@code validate} predicted and measured. */
public enum ValidateCharts {
  /** Time in the driver by kind of call. */
  DRIVER_TIME("driver-time") {
    @Override
    public JFreeChart draw(ValidateAnswer report, ChartTheme theme) {
      return PredictedMeasuredChart.create(
          "Time in the driver",
          report.gpu().name() + ": one point for all calls of one kind in one case",
          "driver time",
          times(report),
          Unit.NANOS,
          theme);
    }
  },
  /** Peak of the memory that was taken, by policy. */
  PEAK_MEMORY("peak-memory") {
    @Override
    public JFreeChart draw(ValidateAnswer report, ChartTheme theme) {
      return PredictedMeasuredChart.create(
          "Peak of memory",
          report.gpu().name() + ": one point for the peak memory of each case",
          "peak memory",
          peaks(report),
          Unit.BYTES,
          theme);
    }
  };

  private final String fileName;

  ValidateCharts(String fileName) {
    this.fileName = fileName;
  }

  /** Draws all of them. */
  public static void write(ValidateAnswer report, ChartFolder folder) throws IOException {
    for (ValidateCharts chart : values()) {
      folder.write(
          chart.fileName,
          PredictedMeasuredChart.WIDTH,
          PredictedMeasuredChart.HEIGHT,
          theme -> chart.draw(report, theme));
    }
  }

  public abstract JFreeChart draw(ValidateAnswer report, ChartTheme theme);

  static PredictedMeasuredData times(ValidateAnswer report) {
    PredictedMeasuredData data = new PredictedMeasuredData();
    // Call by call, so that a kind has the same place in every legend that it is in.
    for (DriverCall call : DriverCall.values()) {
      for (ValidatedCase each : report.cases()) {
        if (each.result() == null) {
          continue;
        }
        for (DriverTime.Kind kind : each.result().time().calls()) {
          if (kind.call() == call) {
            data.add(call.function(), kind.predictedNanos(), kind.measuredNanos());
          }
        }
      }
    }
    return data;
  }

  static PredictedMeasuredData peaks(ValidateAnswer report) {
    PredictedMeasuredData data = new PredictedMeasuredData();
    for (ValidatedCase each : report.cases()) {
      if (each.result() != null) {
        data.add(
            each.choice().provider().spec().id(),
            each.result().predictedPeakBytes(),
            each.result().measuredPeakBytes());
      }
    }
    return data;
  }
}
