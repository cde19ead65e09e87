/* Reserved memory of all runs in one chart: a few stand out, the others are grey behind them. */

const HIGHLIGHTS = ['--orange', '--blue', '--green'];
const DASHES = [[], [8, 4], [3, 3]];

class Overview {
  /** `limitOf` gives the limit of a run. */
  constructor(holder, legend, caption, limitOf) {
    this.holder = holder;
    this.legend = legend;
    this.caption = caption;
    this.limitOf = limitOf;
    this.picked = -1;
    this.near = -1;
    new ResizeObserver(() => {
      if (this.plot) this.plot.setSize({ width: holder.clientWidth, height: 300 });
    }).observe(holder);
  }

  async show(about, failures) {
    const runs = [];
    for (const run of about.runs) {
      const { starts, extremes } = readBuckets(new Columns(await inflate(run.id + '-timeline')), run);
      const series = (name) =>
        new BucketSeries(starts, extremes[name].lowest, extremes[name].highest, about.events);
      runs.push({
        about: run,
        failures: failures(run.row),
        place: about.highlights.indexOf(run.row),
        reserved: series('reserved'),
        requested: series('requested'),
      });
    }
    // What stands out is drawn last.
    this.runs = runs.sort((a, b) => (a.place < 0) === (b.place < 0) ? b.place - a.place : a.place < 0 ? -1 : 1);
    this.about = about;
    this.draw();
  }

  colour(run) {
    return run.place < 0 ? '--faint-line' : HIGHLIGHTS[run.place % HIGHLIGHTS.length];
  }

  draw() {
    if (!this.runs) return;
    const points = Math.min(500, this.about.events);
    const x = Array.from({ length: points }, (_, i) => (i * this.about.events) / points);
    const sampled = (series) => {
      const column = x.map((at, i) => {
        series.range(Math.floor(at), Math.floor(((i + 1) * this.about.events) / points));
        return series.max;
      });
      // The last value holds to the end, so that even one request makes a line.
      return [...column, column.at(-1)];
    };
    const values = this.runs.map((run) => sampled(run.reserved));
    const key = this.runs.filter((run) => run.place >= 0);
    // Failed requests are not held: who serves most of them shows best what the program asks for.
    const servant = this.runs.reduce((a, b) => (b.failures < a.failures ? b : a));
    const relevant = (key.length ? key : this.runs).map((run) => run.reserved.peak());
    const bound = 1.3 * relevant.reduce((a, b) => Math.max(a, b), 1);
    const peaks = this.runs.map((run) => run.reserved.peak());
    let top = peaks.filter((peak) => peak <= bound).reduce((a, b) => Math.max(a, b), 1);
    this.limit = this.limitOf(this.runs.at(-1).about.row);
    this.isLimitNear = this.limit !== null && this.limit <= 1.25 * top;
    if (this.isLimitNear) top = Math.max(top, this.limit);
    this.top = 1.08 * top;
    const hidden = peaks.filter((peak) => peak > this.top).length;
    this.rest = hidden ? `${hidden} ${hidden === 1 ? 'run reaches' : 'runs reach'} beyond the top. ` : '';
    if (this.plot) this.plot.destroy();
    this.plot = new uPlot(
      {
        width: Math.max(200, this.holder.clientWidth),
        height: 300,
        padding: [14, EDGE, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false }, focus: { prox: 24 } },
        focus: { alpha: 1 },
        scales: { x: { time: false, range: () => [0, this.about.events] }, y: { range: () => [0, this.top] } },
        axes: [
          styledAxis(eventAxis(() => this.about.events, { label: 'event number', size: 30, labelSize: 18 })),
          styledAxis(byteAxis(5)),
        ],
        series: [
          {},
          { label: 'requested', stroke: () => colour('--other', 0), fill: () => colour('--free'), width: 0, points: { show: false } },
          ...this.runs.map((run) => ({
            label: run.about.label,
            stroke: () => colour(run.about.row === this.near ? '--vermillion' : this.colour(run)),
            width: run.place < 0 ? 1 : 2.2,
            dash: run.place < 0 ? [] : DASHES[run.place % DASHES.length],
            points: { show: false },
          })),
        ],
        hooks: {
          setSeries: [(u, place) => this.point(place)],
          draw: [(u) => this.drawMarks(u)],
        },
      },
      [[...x, this.about.events], sampled(servant.requested), ...values],
      this.holder,
    );
    this.point(null);
    this.showLegend();
  }

  /** The limit, and a cross where a request of a run that stands out fails. */
  drawMarks(u) {
    if (this.isLimitNear) drawLimit(u, this.limit);
    const { ctx } = u;
    const ratio = devicePixelRatio || 1;
    const arm = 4 * ratio;
    ctx.save();
    ctx.lineWidth = 2 * ratio;
    for (const run of this.runs) {
      if (run.place < 0) continue;
      ctx.strokeStyle = colour(this.colour(run));
      for (const [at] of run.about.failures) {
        const x = u.valToPos(at, 'x', true);
        const y = u.valToPos(run.reserved.at(at), 'y', true);
        ctx.beginPath();
        ctx.moveTo(x - arm, y - arm);
        ctx.lineTo(x + arm, y + arm);
        ctx.moveTo(x - arm, y + arm);
        ctx.lineTo(x + arm, y - arm);
        ctx.stroke();
      }
    }
    ctx.restore();
  }

  showLegend() {
    const others = this.runs.filter((run) => run.place < 0).length;
    const entry = (kind, value, text, note) => {
      const swatch = element('i', { className: 'swatch ' + kind });
      swatch.style.setProperty('--swatch', `var(${value})`);
      return element('li', {}, swatch, element('span', {}, text), note ? element('small', {}, note) : null);
    };
    this.legend.replaceChildren(
      ...this.runs
        .filter((run) => run.place >= 0)
        .sort((a, b) => a.place - b.place)
        .map((run) =>
          entry(
            'line', this.colour(run), run.about.label,
            `peak ${bytesText(run.reserved.peak())}` +
              (run.about.failure_count ? `, × out of memory ${countText(run.about.failure_count)} ${run.about.failure_count === 1 ? 'time' : 'times'}` : ''),
          ),
        ),
      ...(others ? [entry('line', '--faint-line', `${others} other ${others === 1 ? 'run' : 'runs'}`, 'hover over a line for its name')] : []),
      entry('area', '--free', 'requested by the program', ''),
    );
  }

  point(place) {
    const run = place > 1 ? this.runs[place - 2] : null;
    const near = run ? run.about.row : -1;
    if (near !== this.near) {
      this.near = near;
      if (this.plot) this.plot.redraw(false);
    }
    this.caption.textContent =
      this.rest + (run ? `Under the pointer (red): ${run.about.label}, peak ${bytesText(run.reserved.peak())}.` : '');
  }
}
