/* Below the timeline: shares over the same requests, and over simulated time what the GPU did. */

const STRIP_HEIGHT = 118;

/** Ticks of an axis of shares, and how they are written. */
function shareAxis(top) {
  const decimals = top >= 0.02 ? 0 : top >= 0.002 ? 1 : 2;
  return {
    scale: 'y',
    size: AXIS,
    gap: 6,
    splits: () => [0, top / 2, top],
    values: (u, ticks) => ticks.map((tick) => (100 * tick).toFixed(decimals) + ' %'),
  };
}

/** What both strips have in common: a flat chart of shares that follows its holder's width. */
class Strip {
  constructor(holder) {
    this.holder = holder;
    new ResizeObserver(() => {
      if (this.plot && holder.clientWidth > 0 && Math.abs(holder.clientWidth - this.plot.width) > 1) {
        this.plot.setSize({ width: holder.clientWidth, height: STRIP_HEIGHT });
        this.place();
      }
    }).observe(holder);
  }

  /** Follows a cursor, if there is one. */
  place() {}

  create(top, xAxis, xRange, series, data, drawAxes = () => {}) {
    if (this.plot) this.plot.destroy();
    this.plot = new uPlot(
      {
        width: Math.max(200, this.holder.clientWidth),
        height: STRIP_HEIGHT,
        padding: [8, EDGE, 0, 0],
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
        scales: { x: { time: false, range: xRange }, y: { range: () => [0, top * 1.02] } },
        axes: [styledAxis(xAxis), styledAxis(shareAxis(top))],
        series: [{}, ...series.map((each) => ({ points: { show: false }, ...each }))],
        // Only now has the chart its width.
        hooks: { ready: [() => this.place()], drawAxes: [drawAxes] },
      },
      data,
      this.holder,
    );
  }
}

/** The share of reserved memory that is in no block in use, of the run and of the one beside it. */
const SHARES = [
  { colour: '--vermillion', fill: 0.3, width: 1.2 },
  { colour: '--ink-soft', fill: 0, width: 1.4, dash: [5, 4] },
];

class UnusedStrip extends Strip {
  constructor(holder, timeline) {
    super(holder);
    this.timeline = timeline;
    this.series = [null, null];
    this.line = element('div', { className: 'time-cursor' });
  }

  /** Shows the share of a run; of the other one, too, unless it is null. */
  show(share, other) {
    this.series = [share, other];
    this.restyle();
  }

  data() {
    const { timeline } = this;
    const { view } = timeline;
    // The timeline itself takes a new view over a moment later.
    this.isFine = isFine(view, timeline.columns());
    const { axis } = timeline;
    return this.isFine ? steps(this.series, view, timeline.events, axis) : [[axis.place(view.from), axis.place(view.to)], [null, null], [null, null]];
  }

  drawColumns(u) {
    const { timeline } = this;
    if (this.isFine) return;
    const { highest, lowest } = extremes(this.series, timeline.view, timeline.events, Math.round(u.bbox.width / (devicePixelRatio || 1)), timeline.axis);
    this.picture.draw(u, highest, lowest, this.top);
  }

  restyle() {
    const { timeline } = this;
    const stepped = uPlot.paths.stepped({ align: 1 });
    const paths = (...all) => (this.isFine ? stepped(...all) : null);
    this.picture = new ColumnPicture();
    this.picture.style(SHARES);
    this.top = 1.02;
    this.create(
      1,
      timeline.axis.isTime ? timeAxis({ size: 26 }) : eventAxis(() => timeline.events, { size: 26 }),
      () => [timeline.axis.place(timeline.view.from), timeline.axis.place(timeline.view.to)],
      [
        ...SHARES.map((line) => ({
          stroke: () => colour(line.colour),
          fill: line.fill ? () => colour(line.colour, line.fill) : undefined,
          width: line.width,
          dash: line.dash,
          paths,
        })),
      ],
      this.data(),
      (u) => this.drawColumns(u),
    );
    this.plot.over.append(this.line);
    this.plot.over.addEventListener('click', (event) => {
      timeline.onCursor(timeline.position(event.offsetX));
    });
    this.place();
  }

  /** Follows the view of the timeline. */
  draw() {
    if (this.plot) this.plot.setData(this.data(), true);
  }

  /** Follows its time cursor. */
  place() {
    if (!this.plot) return;
    const { cursor } = this.timeline;
    const width = this.plot.over.clientWidth;
    const x = this.timeline.fraction(cursor + 0.5) * width;
    this.line.hidden = x < 0 || x > width;
    this.line.style.transform = `translateX(${x}px)`;
  }
}

/** When the GPU computed and copied, over the simulated time of a run. */
const BUSY_PARTS = [
  { key: 'compute', ratio: 'gpu_utilization_ratio', label: 'computing', colour: '--blue', fill: 0.45, width: 1 },
  { key: 'to_device', ratio: 'gpu_to_device_ratio', label: 'copying to the GPU', colour: '--orange', fill: 0, width: 1.6 },
  { key: 'to_host', ratio: 'gpu_to_host_ratio', label: 'copying from the GPU', colour: '--purple', fill: 0, width: 1.6 },
];

class BusyStrip extends Strip {
  constructor(holder, legend) {
    super(holder);
    this.legend = legend;
  }

  /** Shows a run; `result` has its figures. */
  async show(run, result) {
    const columns = new Columns(await inflate(run.id + '-busy'));
    this.end = run.busy.end_nanos;
    /** Busy nanoseconds of every stretch, by what kept the GPU busy. */
    this.stretches = Object.fromEntries(
      BUSY_PARTS.map(({ key }) => {
        const width = columns.next();
        const count = columns.next();
        return [key, { width, nanos: Array.from({ length: count }, () => columns.next()) }];
      }),
    );
    this.parts = BUSY_PARTS.filter(({ key }) => run.busy[key + '_nanos'] > 0);
    this.legend.replaceChildren(
      ...this.parts.map((part) => {
        const swatch = element('i', { className: 'swatch ' + (part.fill ? 'area' : 'line') });
        swatch.style.setProperty('--swatch', `var(${part.colour})`);
        return element(
          'li', {}, swatch, element('span', {}, part.label),
          element('output', { dataset: { key: part.ratio, value: JSON.stringify(result[part.ratio]) } }, percentText(result[part.ratio]) + ' of the time'),
        );
      }),
    );
    this.restyle();
  }

  /** Shares of each stretch as steps over nanoseconds, on the finest scale of all parts. */
  data() {
    const width = Math.min(...this.parts.map(({ key }) => this.stretches[key].width));
    const count = Math.ceil(this.end / width);
    const x = [];
    const columns = this.parts.map(() => []);
    for (let i = 0; i < count; i++) {
      x.push(i * width, Math.min(this.end, (i + 1) * width));
      this.parts.forEach(({ key }, part) => {
        const { width: own, nanos } = this.stretches[key];
        const stretch = Math.floor((i * width) / own);
        const length = Math.min(own, this.end - stretch * own);
        const share = Math.min(1, (nanos[stretch] || 0) / length);
        columns[part].push(share, share);
      });
    }
    return [x, ...columns];
  }

  restyle() {
    if (!this.parts) return;
    this.create(
      1,
      { values: (u, ticks) => ticks.map((tick) => shortDuration(tick)), label: 'simulated time', size: 26, labelSize: 18 },
      () => [0, this.end],
      this.parts.map((part) => ({
        stroke: () => colour(part.colour),
        fill: part.fill ? () => colour(part.colour, part.fill) : undefined,
        width: part.width,
      })),
      this.data(),
    );
  }
}
