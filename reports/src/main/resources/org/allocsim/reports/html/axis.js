/* The horizontal axis of a trace: its events side by side, or each at its time. */

/** Adds to times that stand still, so that every place on the axis is one event; a millionth of the whole cannot be seen. */
const DRIFT = 1e-6;

class EventAxis {
  constructor(events = 1) {
    this.events = events;
    this.isTime = false;
  }

  /** Where an event is on the axis. */
  place(at) {
    return at;
  }

  /** The event at a place of the axis, as a fraction between two. */
  event(place) {
    return place;
  }

  /** The first event of each of many pixels of a view, and after the last one the first beyond it. */
  edges({ from, to }, pixels) {
    const edges = new Int32Array(pixels + 1);
    const start = this.place(from);
    const step = (this.place(to) - start) / pixels;
    for (let x = 0; x <= pixels; x++) {
      edges[x] = Math.min(this.events, Math.max(0, Math.ceil(this.event(start + x * step) - 1e-9)));
    }
    return edges;
  }

  /** A view of the same length that lies so many axis units further, within the run. */
  moved({ from, to }, by) {
    const last = this.place(this.events);
    const most = Math.min(Math.max(by, this.place(0) - this.place(from)), last - this.place(to));
    return { from: this.event(this.place(from) + most), to: this.event(this.place(to) + most) };
  }
}

class TimeAxis extends EventAxis {
  constructor(trace) {
    super(trace.events);
    this.isTime = true;
    this.step = trace.about.time_step;
    const { times } = trace;
    const n = times.length;
    const whole = Math.max(1, times[n - 1]);
    this.knots = new Float64Array(n + 1);
    let last = 0;
    for (let i = 0; i < n; i++) {
      last = Math.max(last, times[i]);
      this.knots[i] = last + (DRIFT * whole * i) / n;
    }
    this.knots[n] = last + DRIFT * whole;
  }

  place(at) {
    const { knots, step } = this;
    const n = knots.length - 1;
    const low = Math.min(n - 1, Math.max(0, Math.floor(at / step)));
    // What follows the last kept time is spread over what is left.
    const width = low === n - 1 ? Math.max(1, this.events - low * step) : step;
    return knots[low] + ((at - low * step) / width) * (knots[low + 1] - knots[low]);
  }

  event(place) {
    const { knots, step } = this;
    const n = knots.length - 1;
    const low = Math.min(n - 1, Math.max(0, above(knots, place) - 1));
    const width = low === n - 1 ? Math.max(1, this.events - low * step) : step;
    return low * step + ((place - knots[low]) / (knots[low + 1] - knots[low])) * width;
  }
}
