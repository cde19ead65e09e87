/* The timeline: uPlot draws what of memory over time is in view. */

const LINES = [
  { key: 'reserved', label: 'reserved', note: 'reserved from the GPU', colour: '--sky', width: 1.5, fill: 0.16 },
  { key: 'active', label: 'active', note: 'in use, or freed and waiting for a stream', colour: '--orange', width: 1.2, fill: 0.5 },
  { key: 'allocated', label: 'allocated', note: 'blocks in use, rounded up', colour: '--blue', width: 1.2, fill: 0.55 },
  { key: 'requested', label: 'requested', note: 'requested by the program', colour: '--green', width: 1, fill: 0 },
  { key: 'filtered', label: 'filtered', note: 'requested by blocks that match the filter', colour: '--purple', width: 1.6, fill: 0.4 },
  { key: 'other', label: 'compared', note: 'reserved by the other policy', colour: '--ink-soft', width: 1.4, fill: 0, dash: [5, 4] },
];

/* Pixels beside the plot: at the left for sizes, at the right for half a label. */
const AXIS = 78;
const EDGE = 12;

/** Colours of the present style by name: to ask for one has the browser compute styles. */
const COLOURS = new Map();

/** A colour of the page's style, for canvases. */
function colour(name, alpha = 1) {
  if (!COLOURS.has(name)) {
    COLOURS.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  }
  const value = COLOURS.get(name);
  if (alpha === 1) return value;
  return value + Math.round(alpha * 255).toString(16).padStart(2, '0');
}

/** Ticks at round binary sizes. */
function byteTicks(max, wanted) {
  if (!(max > 0)) return [0];
  let step = 2 ** Math.ceil(Math.log2(max / wanted));
  if (step < 1) step = 1;
  const ticks = [];
  for (let tick = 0; tick <= max; tick += step) ticks.push(tick);
  return ticks;
}

function byteAxis(wanted) {
  return {
    scale: 'y',
    size: AXIS,
    gap: 6,
    splits: (u, axis, min, max) => byteTicks(max, wanted),
    values: (u, ticks) => ticks.map((tick) => axisBytes(tick, ticks.length > 1 ? ticks[1] : tick)),
  };
}

/** An axis of event numbers: their labels do not touch. */
function eventAxis(events, axis) {
  return {
    space: () => 22 + 8 * countText(events()).length,
    values: (u, ticks) =>
      ticks.map((tick) => {
        const text = Number.isInteger(tick) ? countText(tick) : '';
        // What would be cut at the right is left out.
        return u.valToPos(tick, 'x') + 3.5 * text.length <= u.bbox.width / (devicePixelRatio || 1) + EDGE ? text : '';
      }),
    ...axis,
  };
}

/** An axis of times since the first event. */
function timeAxis(axis) {
  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  return {
    space: () => 80,
    values: (u, ticks) => {
      const [scale, unit] = units.find(([each]) => ticks.at(-1) >= each) ?? units[3];
      const step = ticks.length > 1 ? (ticks[1] - ticks[0]) / scale : 1;
      // No more decimals than tell one tick from the next.
      const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
      return ticks.map((tick) => (tick === 0 ? '0' : (tick / scale).toFixed(decimals) + ' ' + unit));
    },
    ...axis,
  };
}

function styledAxis(axis) {
  return {
    stroke: () => colour('--ink-soft'),
    grid: { stroke: () => colour('--grid'), width: 1 },
    ticks: { stroke: () => colour('--grid'), width: 1, size: 4 },
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
    ...axis,
  };
}

/** A dashed line at a limit, with its name. */
function drawLimit(u, limit) {
  const { ctx } = u;
  const ratio = devicePixelRatio || 1;
  const { left, width } = u.bbox;
  const y = u.valToPos(limit, 'y', true);
  ctx.save();
  ctx.strokeStyle = colour('--vermillion');
  ctx.setLineDash([8 * ratio, 4 * ratio]);
  ctx.lineWidth = 1.5 * ratio;
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
  ctx.fillStyle = colour('--vermillion-text');
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText('limit ' + bytesText(limit), left + width - 4 * ratio, y - 4 * ratio);
  ctx.restore();
}

/** Whether a view shows requests one by one. */
function isFine({ from, to }, pixels) {
  return to - from <= Math.max(50, pixels);
}

/** Values of series after every request in view, as steps; a series that is missing has none. */
function steps(sources, { from, to }, events, axis) {
  const x = [];
  const columns = sources.map(() => []);
  const end = Math.min(events, Math.ceil(to) + 1);
  for (let at = Math.max(0, Math.floor(from)); at < end; at++) {
    x.push(axis.place(at));
    sources.forEach((source, i) => {
      if (source) source.range(at, at + 1);
      columns[i].push(source ? source.max : null);
    });
  }
  if (x.length > 0) {
    x.push(axis.place(end));
    for (const column of columns) column.push(column.at(-1));
  }
  return [x, ...columns];
}

/** Pieces of a column that are looked at one by one: where it begins is rounded to a fraction of a pixel. */
const PIECES = 8;

/** Lowest and highest values of series for every column of pixels in view; a series that is missing has none. */
function extremes(sources, { from, to }, events, pixels, axis) {
  const columns = Math.max(50, pixels);
  const scale = (to - from) / columns;
  let unit = 1;
  // By time, one column may have few events and the next one many.
  while (!axis.isTime && 16 * unit * PIECES <= scale) unit *= 16;
  const start = axis.place(from);
  const step = (axis.place(to) - start) / columns;
  const edge = (i) => Math.min(events, unit * Math.round(axis.event(start + i * step) / unit));
  const highest = sources.map(() => new Array(columns).fill(null));
  const lowest = sources.map(() => new Array(columns).fill(null));
  for (let i = 0; i < columns; i++) {
    const a = Math.min(edge(i), events - 1);
    const b = Math.max(a + 1, edge(i + 1));
    sources.forEach((source, each) => {
      if (!source) return;
      source.range(a, b);
      highest[each][i] = source.max;
      lowest[each][i] = source.min;
    });
  }
  return { highest, lowest };
}

class Timeline {
  /** `holder` gets the chart; `onCursor` is called with the position of the time cursor. */
  constructor(holder, onCursor) {
    this.holder = holder;
    this.onCursor = onCursor;
    this.events = 1;
    this.axis = new EventAxis();
    this.view = { from: 0, to: 1 };
    /** Events with which steps begin. */
    this.steps = [];
    /** Draws below the lines what fills memory; without it areas show what is allocated. */
    this.under = null;
    this.series = {};
    this.cursor = 0;
    this.marks = [];
    this.band = null;
    this.limit = null;
    this.top = 1;
    this.hover = null;
    /** What draws and moves its cursor with this chart. */
    this.follower = null;
    this.frames = [];
    this.line = element('div', { className: 'time-cursor' });
    this.lifetime = element('div', { className: 'lifetime' });
    this.mark = 0;
    this.markLine = element('div', { className: 'time-mark', title: 'marked moment' });
    this.make();
    new ResizeObserver(() => this.resize()).observe(holder);
  }

  make() {
    if (this.plot) this.plot.destroy();
    const stepped = uPlot.paths.stepped({ align: 1 });
    // Where a pixel is many requests, steps cannot be seen.
    const paths = (...all) => (this.isFine ? stepped(...all) : null);
    this.picture = new ColumnPicture();
    this.picture.style(this.lines());
    const options = {
      width: Math.max(200, this.holder.clientWidth),
      height: this.height(),
      padding: [14, EDGE, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
      scales: {
        x: { time: false, range: () => [this.axis.place(this.view.from), this.axis.place(this.view.to)] },
        y: { range: () => [0, this.top] },
      },
      axes: [
        styledAxis(this.axis.isTime ? timeAxis({ size: 28 }) : eventAxis(() => this.events, { size: 28 })),
        styledAxis(byteAxis(6)),
      ],
      series: [
        {},
        ...this.lines().map((line) => ({
          label: line.label,
          stroke: () => colour(line.colour),
          fill: line.fill ? () => colour(line.colour, line.fill) : undefined,
          width: line.width,
          dash: line.dash,
          paths,
          points: { show: false },
        })),
      ],
      hooks: {
        // Only now has the chart its width.
        ready: [() => this.placeCursor()],
        drawAxes: [(u) => this.drawColumns(u)],
        draw: [(u) => this.drawMarks(u)],
        setCursor: [(u) => this.cursorMoved(u)],
      },
    };
    this.plot = new uPlot(options, this.data(), this.holder);
    this.plot.over.append(this.lifetime, this.markLine, this.line);
    this.listen(this.plot.over);
    this.placeCursor();
  }

  height() {
    return window.matchMedia('(max-width: 700px)').matches ? 220 : 224;
  }

  /** The lines as they are drawn now: over layers only their edges. */
  lines() {
    if (!this.under) return LINES;
    return LINES.map((line) => ({
      ...line,
      fill: line.key === 'filtered' ? line.fill : line.key === 'reserved' ? 0.1 : 0,
      width: line.key === 'requested' ? 0 : line.key === 'allocated' ? 1 : line.width,
    }));
  }

  /** Sets what is drawn below the lines; null for nothing. */
  setUnder(draw) {
    const isOther = Boolean(draw) !== Boolean(this.under);
    this.under = draw;
    if (isOther) {
      this.restyle();
      if (this.onLines) this.onLines();
    } else {
      this.schedule();
    }
  }

  /** Shows events side by side or at their times. */
  setAxis(axis) {
    const isOther = axis.isTime !== this.axis.isTime;
    this.axis = axis;
    if (isOther) this.restyle();
    if (this.follower && isOther) this.follower.restyle();
  }

  resize() {
    const width = this.holder.clientWidth;
    if (width > 0 && Math.abs(width - this.plot.width) > 1) {
      this.plot.setSize({ width, height: this.height() });
      this.schedule();
    }
  }

  /** What is to be drawn: series by key; those that are missing are left out. */
  show(series, events, limit, marks) {
    this.series = series;
    this.limit = limit;
    this.marks = marks;
    let top = 0;
    for (const each of Object.values(series)) top = Math.max(top, each.peak());
    this.isLimitNear = limit !== null && limit <= 1.25 * top;
    this.top = 1.06 * Math.max(1, this.isLimitNear ? Math.max(limit, top) : top);
    if (events !== this.events) {
      this.events = events;
      this.view = { from: 0, to: Math.max(1, events) };
    }
    this.schedule();
  }

  /** What the chart draws as lines; nothing where a pixel is many requests. */
  data() {
    const pixels = this.columns();
    this.isFine = isFine(this.view, pixels);
    const { view, axis } = this;
    return this.isFine
      ? steps(this.sources(), view, this.events, axis)
      : [[axis.place(view.from), axis.place(view.to)], ...LINES.map(() => [null, null])];
  }

  sources() {
    return LINES.map((line) => this.series[line.key]);
  }

  /** Columns of pixels of the plot. */
  columns() {
    return this.holder.clientWidth - AXIS - EDGE;
  }

  drawColumns(u) {
    if (this.under) this.under(u);
    if (this.isFine !== false) return;
    const { highest, lowest } = extremes(this.sources(), this.view, this.events, Math.round(u.bbox.width / (devicePixelRatio || 1)), this.axis);
    this.picture.draw(u, highest, lowest, this.top);
  }

  schedule() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => this.draw());
  }

  /** Draws now; keeps what the last frames took. */
  draw() {
    this.pending = 0;
    const start = performance.now();
    this.plot.setData(this.data(), true);
    if (this.follower) this.follower.draw();
    if (this.onDraw) this.onDraw();
    this.placeCursor();
    this.frames.push(performance.now() - start);
    if (this.frames.length > 240) this.frames.shift();
  }

  /** Draws anew with the present style and width, now. */
  restyle() {
    this.make();
    this.draw();
  }

  drawMarks(u) {
    const { ctx } = u;
    const ratio = devicePixelRatio || 1;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top - 12 * ratio, width, height + 12 * ratio);
    ctx.clip();
    if (this.limit !== null && this.isLimitNear) {
      drawLimit(u, this.limit);
    }
    this.drawSteps(u, ctx);
    ctx.fillStyle = colour('--vermillion');
    let last = -Infinity;
    for (const at of this.marks) {
      const x = u.valToPos(this.axis.place(at + 0.5), 'x', true);
      if (x < left || x > left + width || x - last < 3 * ratio) continue;
      last = x;
      ctx.beginPath();
      ctx.moveTo(x - 5 * ratio, top - 10 * ratio);
      ctx.lineTo(x + 5 * ratio, top - 10 * ratio);
      ctx.lineTo(x, top);
      ctx.fill();
    }
    ctx.restore();
  }

  /** A thin line where each step begins, unless they would be all that is seen. */
  drawSteps(u, ctx) {
    const { from, to } = this.view;
    const inView = this.steps.filter((at) => at > from && at < to);
    if (inView.length > u.bbox.width / (12 * (devicePixelRatio || 1))) return;
    ctx.fillStyle = colour('--rule');
    for (const at of inView) {
      ctx.fillRect(Math.round(u.valToPos(this.axis.place(at), 'x', true)), u.bbox.top, devicePixelRatio || 1, u.bbox.height);
    }
  }

  /** Where an event is in the view, from 0 to 1 for what can be seen. */
  fraction(at) {
    const { axis, view } = this;
    const start = axis.place(view.from);
    return (axis.place(at) - start) / (axis.place(view.to) - start);
  }

  placeCursor() {
    // The chart itself takes a new view over a moment later.
    const width = this.plot.over.clientWidth;
    const place = (at) => this.fraction(at) * width;
    const x = place(this.cursor + 0.5);
    this.line.hidden = x < 0 || x > width;
    this.line.style.transform = `translateX(${x}px)`;
    if (this.follower) this.follower.place();
    const marked = place(this.mark + 0.5);
    this.markLine.hidden = !this.mark || marked < 0 || marked > width;
    this.markLine.style.transform = `translateX(${marked}px)`;
    this.lifetime.hidden = !this.band;
    if (this.band) {
      const a = Math.max(0, place(this.band[0]));
      const b = Math.min(width, place(this.band[1]));
      this.lifetime.style.left = a + 'px';
      this.lifetime.style.width = Math.max(1, b - a) + 'px';
    }
  }

  setCursor(at) {
    this.cursor = at;
    this.placeCursor();
  }

  /** Marks a moment; the first is not shown. */
  setMark(at) {
    this.mark = at;
    this.placeCursor();
  }

  /** Shows from when to when a block lived; null for none. */
  setBand(band) {
    this.band = band;
    this.placeCursor();
  }

  clampView(from, to) {
    const shortest = Math.min(this.events, 16);
    const span = Math.min(this.events, Math.max(shortest, to - from));
    const start = Math.min(Math.max(0, from), this.events - span);
    this.view = { from: start, to: Math.max(start + span, start + 1) };
    this.schedule();
  }

  pan(share) {
    const { axis, view } = this;
    const moved = axis.moved(view, share * (axis.place(view.to) - axis.place(view.from)));
    this.clampView(moved.from, moved.to);
  }

  zoom(factor, around = (this.view.from + this.view.to) / 2) {
    const { axis } = this;
    const [from, to, middle] = [this.view.from, this.view.to, around].map((at) => axis.place(at));
    this.clampView(axis.event(middle - (middle - from) * factor), axis.event(middle + (to - middle) * factor));
  }

  reset() {
    this.clampView(0, this.events);
  }

  /** Moves the view so that a position is in it. */
  reveal(at) {
    const { from, to } = this.view;
    if (at < from || at >= to) {
      const half = (to - from) / 2;
      this.clampView(at - half, at + half);
    }
  }

  position(x) {
    const at = Math.floor(this.axis.event(this.plot.posToVal(x, 'x')));
    return Math.min(this.events - 1, Math.max(0, at));
  }

  cursorMoved(u) {
    const x = u.cursor.left;
    this.hover = x === null || x === undefined || x < 0 ? null : this.position(x);
    if (this.onHover) this.onHover(this.hover);
  }

  listen(over) {
    let down = null;
    over.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      const x = event.offsetX;
      const isCursor = Math.abs(x - this.fraction(this.cursor + 0.5) * over.clientWidth) < 7;
      down = { x: event.clientX, view: { ...this.view }, isCursor, moved: false };
      over.setPointerCapture(event.pointerId);
    });
    over.addEventListener('pointermove', (event) => {
      if (!down) return;
      const moved = event.clientX - down.x;
      if (Math.abs(moved) > 3) down.moved = true;
      if (!down.moved) return;
      if (down.isCursor) {
        this.onCursor(this.position(event.clientX - over.getBoundingClientRect().left));
      } else {
        const { axis } = this;
        const by = (-moved / over.clientWidth) * (axis.place(down.view.to) - axis.place(down.view.from));
        const { from, to } = axis.moved(down.view, by);
        this.clampView(from, to);
      }
    });
    over.addEventListener('pointerup', (event) => {
      if (down && !down.moved) {
        this.onCursor(this.position(event.clientX - over.getBoundingClientRect().left));
      }
      down = null;
    });
    over.addEventListener('pointercancel', () => (down = null));
    over.addEventListener('dblclick', () => this.reset());
    over.addEventListener(
      'wheel',
      (event) => {
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          event.preventDefault();
          this.pan(event.deltaX / over.clientWidth);
        } else if (event.ctrlKey || this.holder.contains(document.activeElement)) {
          event.preventDefault();
          const x = event.clientX - over.getBoundingClientRect().left;
          this.zoom(2 ** (event.deltaY / 300), this.axis.event(this.plot.posToVal(x, 'x')));
        }
      },
      { passive: false },
    );
  }
}
