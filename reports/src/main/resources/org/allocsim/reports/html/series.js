/* Memory over time at every scale: lowest and highest values of any range, without losing a peak. */

const SERIES = ['requested', 'allocated', 'active', 'reserved'];

/** A value after every request, with the extremes of 16, 256, 4096, … requests. */
class Series {
  /** `peaks` has greater values that were reached inside a request. */
  static *of(values, peaks = new Map()) {
    const series = new Series(values, peaks);
    yield* series.build();
    return series;
  }

  constructor(values, peaks) {
    this.values = values;
    this.peaks = peaks;
    this.lowest = [values];
    this.highest = [values];
    this.min = 0;
    this.max = 0;
  }

  *build() {
    while (this.lowest.at(-1).length > 16) {
      const isFirst = this.lowest.length === 1;
      const low = this.lowest.at(-1);
      const high = this.highest.at(-1);
      const length = Math.ceil(low.length / 16);
      const lowest = new Float64Array(length);
      const highest = new Float64Array(length);
      yield* each(length, (i) => {
        let min = Infinity;
        let max = -Infinity;
        const end = Math.min(low.length, 16 * i + 16);
        for (let j = 16 * i; j < end; j++) {
          if (low[j] < min) min = low[j];
          if (high[j] > max) max = high[j];
        }
        lowest[i] = min;
        highest[i] = max;
      });
      if (isFirst) {
        for (const [at, peak] of this.peaks) {
          const i = Math.floor(at / 16);
          highest[i] = Math.max(highest[i], peak);
        }
      }
      this.lowest.push(lowest);
      this.highest.push(highest);
    }
  }

  at(position) {
    return this.values[Math.min(this.values.length - 1, Math.max(0, position))];
  }

  /** Sets `min` and `max` to the extremes from one position to before another. */
  range(from, to) {
    this.min = Infinity;
    this.max = -Infinity;
    let a = from;
    const b = Math.min(to, this.values.length);
    if (b - a >= 16 && a % 16 === 0 && b % 16 === 0) {
      this.rangeOfNodes(a, b);
      return;
    }
    while (a < b) {
      let level = 0;
      let span = 1;
      while (
        level + 1 < this.lowest.length &&
        a % (span * 16) === 0 &&
        a + span * 16 <= b
      ) {
        level++;
        span *= 16;
      }
      const i = a / span;
      const low = this.lowest[level][i];
      const high = this.highest[level][i];
      if (low < this.min) this.min = low;
      if (high > this.max) this.max = high;
      if (level === 0 && this.peaks.size > 0) {
        const peak = this.peaks.get(a);
        if (peak > this.max) this.max = peak;
      }
      a += span;
    }
  }

  /** The same between multiples of 16, whose nodes lie side by side on the coarsest level that has both ends. */
  rangeOfNodes(from, to) {
    let level = 1;
    let a = from / 16;
    let b = to / 16;
    while (level + 1 < this.lowest.length && a % 16 === 0 && b % 16 === 0 && b > a + 16) {
      level++;
      a /= 16;
      b /= 16;
    }
    const low = this.lowest[level];
    const high = this.highest[level];
    for (; a < b; a++) {
      if (low[a] < this.min) this.min = low[a];
      if (high[a] > this.max) this.max = high[a];
    }
  }

  peak() {
    this.range(0, this.values.length);
    return this.max;
  }
}

/** The same of a run of which only extremes of buckets were kept. */
class BucketSeries {
  constructor(starts, lowest, highest, events) {
    this.starts = starts;
    this.lowest = lowest;
    this.highest = highest;
    this.events = events;
    this.min = 0;
    this.max = 0;
  }

  bucket(position) {
    return Math.max(0, above(this.starts, position) - 1);
  }

  at(position) {
    return this.highest[this.bucket(position)];
  }

  range(from, to) {
    this.min = Infinity;
    this.max = -Infinity;
    const first = this.bucket(from);
    for (let i = first; i < this.starts.length; i++) {
      if (i > first && this.starts[i] >= to) break;
      this.min = Math.min(this.min, this.lowest[i]);
      this.max = Math.max(this.max, this.highest[i]);
    }
  }

  peak() {
    return this.highest.reduce((a, b) => Math.max(a, b), 0);
  }
}

/** Sums up what begins and ends at positions. */
function* running(events, births, deaths, sizes, isCounted) {
  const values = new Float64Array(events);
  yield* each(births.length, (i) => {
    if (!isCounted(i) || deaths[i] < 0) return;
    values[births[i]] += sizes[i];
    if (deaths[i] < events) values[deaths[i]] -= sizes[i];
  });
  let sum = 0;
  yield* each(events, (at) => (values[at] = sum += values[at]));
  return yield* Series.of(values);
}

const always = () => true;

/** The share of reserved memory that is in no block in use. */
function unusedShare(reserved, active) {
  return reserved > 0 ? Math.max(0, (reserved - active) / reserved) : 0;
}

function* wholeSeries(run) {
  const { trace, changes } = run;
  const { events, birth, size } = trace;
  const reserved = new Float64Array(events);
  const peaks = new Map();
  let held = 0;
  let next = 0;
  yield* each(events, (at) => {
    let most = held;
    while (next < changes.events.length && changes.events[next] <= at) {
      held += ((changes.kinds[next] >> 1) % 2 === 0 ? 1 : -1) * changes.sizes[next];
      if (held > most) most = held;
      next++;
    }
    reserved[at] = held;
    if (most > held && most > (at > 0 ? reserved[at - 1] : 0)) peaks.set(at, most);
  });
  const series = {
    requested: yield* running(events, birth, run.done, size, always),
    allocated: yield* running(events, birth, run.freed, run.block, always),
    reserved: yield* Series.of(reserved, peaks),
  };
  let waits = false;
  yield* each(run.freed.length, (i) => (waits ||= run.freed[i] !== run.done[i]));
  series.active = waits
    ? yield* running(events, birth, run.done, run.block, always)
    : series.allocated;
  const unused = new Float32Array(events);
  yield* each(events, (at) => (unused[at] = unusedShare(reserved[at], series.active.values[at])));
  series.unused = yield* Series.of(unused);
  return series;
}

function readBuckets(columns, about) {
  const n = about.buckets;
  const starts = new Int32Array(n);
  for (let i = 0, start = 0; i < n; i++) starts[i] = start += columns.next();
  const extremes = {};
  for (const name of SERIES) {
    const highest = new Float64Array(n);
    const lowest = new Float64Array(n);
    for (let i = 0, value = 0; i < n; i++) highest[i] = value += columns.signed();
    for (let i = 0; i < n; i++) lowest[i] = highest[i] - columns.next();
    extremes[name] = { lowest, highest };
  }
  return { starts, extremes, unused: readUnused(columns) };
}

/** What a share of 1 is written as. */
const WHOLE = 10000;

function readUnused(columns) {
  const width = columns.next();
  const n = columns.next();
  const starts = Int32Array.from({ length: n }, (_, i) => i * width);
  const highest = new Float64Array(n);
  for (let i = 0, value = 0; i < n; i++) highest[i] = (value += columns.signed()) / WHOLE;
  const lowest = Float64Array.from(highest, (value) => Math.max(0, value - columns.next() / WHOLE));
  return { starts, lowest, highest };
}

function bucketSeries(columns, about, events) {
  const { starts, extremes, unused } = readBuckets(columns, about);
  const series = { unused: new BucketSeries(unused.starts, unused.lowest, unused.highest, events) };
  for (const name of SERIES) {
    const { lowest, highest } = extremes[name];
    series[name] = new BucketSeries(starts, lowest, highest, events);
  }
  // Where nothing waits for a stream, both are one.
  const { active, allocated } = series;
  if (active.highest.every((value, i) => value === allocated.highest[i]) && active.lowest.every((value, i) => value === allocated.lowest[i])) {
    series.active = allocated;
  }
  return series;
}
