/* What fills memory over time, in layers below the lines of the timeline: by line, by category, or the largest allocations each for itself. */

const LARGEST = 200;

/** Names and colours of the categories. */
const CATEGORY_COLOURS = ['--blue', '--green', '--purple', '--sky', '--orange', '--vermillion', '--yellow', '--mint', '--other'];

/** The blocks with the largest weights, the first of equals, in their order. */
function* heaviest(count, weight, wanted) {
  let found = [];
  let least = 0;
  const cut = () => {
    found.sort((a, b) => b.weight - a.weight || a.i - b.i);
    found.length = Math.min(found.length, wanted);
    if (found.length === wanted) least = found.at(-1).weight;
  };
  yield* each(count, (i) => {
    const own = weight(i);
    if (own > least) found.push({ i, weight: own });
    if (found.length > 16 * wanted) cut();
  });
  cut();
  return found.map(({ i }) => i).sort((a, b) => a - b);
}

/** Which layer each block is in; 0 is the lowest. The last layer takes all others. */
function* layersOf(trace, run, by, { from, to }) {
  const n = trace.birth.length;
  if (by === 'category') return { layer: trace.category, names: trace.about.categories, colours: CATEGORY_COLOURS };
  const layer = new Uint16Array(n);
  if (by === 'line') {
    // The largest lines lie at the bottom, in the order of their colours.
    const places = [...trace.places].sort((a, b) => a[1] - b[1]);
    const layerOf = new Uint16Array(trace.lines.length).fill(places.length);
    places.forEach(([line], i) => (layerOf[line] = i));
    yield* each(n, (i) => (layer[i] = layerOf[trace.lineOf[trace.stack[i]]]));
    return {
      layer,
      names: [...places.map(([line]) => trace.lines[line]), 'other lines'],
      colours: [...places.map(([line]) => trace.lineColour(line)), '--other'],
    };
  }
  const lived = (i) => trace.size[i] * Math.max(0, Math.min(to, run.done[i]) - Math.max(from, trace.birth[i]));
  const top = yield* heaviest(n, lived, LARGEST);
  top.forEach((block, i) => (layer[block] = i + 1));
  return {
    layer,
    blocks: [-1, ...top],
    names: ['all others', ...top.map((block) => `${bytesText(trace.size[block])}, ${trace.lineName(block)}`)],
    colours: ['--other', ...top.map((block) => trace.lineColour(trace.lineOf[trace.stack[block]]))],
  };
}

/** Of every pixel the moment at which the program holds the most; of one without an event the last before it. */
function* momentsOf(requested, edges) {
  const pixels = edges.length - 1;
  const moments = new Int32Array(pixels).fill(-1);
  const { values } = requested;
  let x = 0;
  yield* each(Math.max(0, Math.min(values.length, edges[pixels]) - edges[0]), (i) => {
    const at = edges[0] + i;
    while (edges[x + 1] <= at) x++;
    if (moments[x] < 0 || values[at] > values[moments[x]]) moments[x] = at;
  });
  for (let i = 0, last = edges[0] - 1; i < pixels; i++) moments[i] = last = moments[i] < 0 ? last : moments[i];
  return moments;
}

/** Bytes of every layer at one moment of every pixel. */
function* layerSums(trace, run, layers, { from, to }, pixels, axis) {
  const count = layers.names.length;
  const sums = new Float64Array(count * (pixels + 1));
  const moments = yield* momentsOf(run.series.requested, axis.edges({ from, to }, pixels));
  const start = axis.place(from);
  const scale = pixels / (axis.place(to) - start);
  /** The first pixel whose moment is not before a position. */
  const pixelOf = (at) => {
    let x = Math.min(pixels, Math.max(0, Math.floor((axis.place(at) - start) * scale)));
    while (x > 0 && moments[x - 1] >= at) x--;
    while (x < pixels && moments[x] < at) x++;
    return x;
  };
  yield* each(trace.birth.length, (i) => {
    const end = run.done[i];
    if (end <= from || trace.birth[i] >= to) return;
    const row = layers.layer[i] * (pixels + 1);
    sums[row + pixelOf(trace.birth[i])] += trace.size[i];
    sums[row + pixelOf(end)] -= trace.size[i];
  });
  for (let row = 0; row < sums.length; row += pixels + 1) {
    for (let x = 1; x <= pixels; x++) sums[row + x] += sums[row + x - 1];
  }
  return sums;
}

class LayerPicture {
  /** Draws into a timeline; `legend` names the layers that no other part of the page does. */
  constructor(legend, timeline) {
    this.legend = legend;
    this.timeline = timeline;
    this.by = 'line';
    this.isFaded = false;
    this.under = (u) => this.paint(u);
  }

  show(run) {
    this.run = run;
    this.schedule();
  }

  /** Computes the layers anew once the view has come to rest, as every block is looked at. */
  schedule() {
    const key = this.key();
    if (this.asked === key) return;
    this.asked = key;
    clearTimeout(this.pending);
    if (this.isOff()) this.timeline.setUnder(null);
    if (this.by === 'none') this.legend.replaceChildren();
    this.pending = setTimeout(() => this.compute(), 40);
  }

  /** Whether what was painted is of another run or of other layers. */
  isOff() {
    const { drawn, run, by } = this;
    return !drawn || drawn.run !== run || drawn.by !== by || drawn.isTime !== this.timeline.axis.isTime;
  }

  /** What the sums depend on. */
  key() {
    const { from, to } = this.timeline.view;
    const { trace } = this.run ?? {};
    return trace ? [this.run.about.id, this.run.isWhole, this.by, [...trace.places.keys()].join('-'), from, to, this.timeline.axis.isTime, this.timeline.columns()].join() : '';
  }

  async compute() {
    const { run, by, asked, timeline } = this;
    if (!run || !run.isWhole || by === 'none') return;
    const { axis } = timeline;
    const view = { ...timeline.view };
    const pixels = Math.max(50, timeline.columns());
    const work = function* () {
      const layers = yield* layersOf(run.trace, run, by, view);
      return { run, by, layers, sums: yield* layerSums(run.trace, run, layers, view, pixels, axis), pixels, view, isTime: axis.isTime };
    };
    const drawn = await gently(work(), () => this.asked !== asked);
    if (!drawn) return;
    this.drawn = drawn;
    this.picture = null;
    timeline.setUnder(this.under);
    this.showLegend(drawn.layers, drawn.sums, pixels);
  }

  /** Paints the layers anew at the next frame, in the present style. */
  restyle() {
    this.picture = null;
  }

  /** Shows the painted layers where they are in the present view of a plot. */
  paint(u) {
    const { drawn, timeline } = this;
    if (this.isOff()) return;
    const { ctx, bbox } = u;
    const rows = Math.round(bbox.height);
    if (!this.picture || this.picture.height !== rows || this.top !== timeline.top) {
      this.picture = this.draw(drawn, rows, timeline.top);
      this.top = timeline.top;
    }
    const from = timeline.fraction(drawn.view.from);
    const to = timeline.fraction(drawn.view.to);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    // What moves is shown for a moment only.
    ctx.imageSmoothingEnabled = false;
    ctx.globalAlpha = this.isFaded ? 0.22 : 1;
    ctx.drawImage(this.picture, bbox.left + from * bbox.width, bbox.top, (to - from) * bbox.width, bbox.height);
    ctx.restore();
  }

  /** A picture with a column for each pixel of the view, and rows for the bytes up to a top. */
  draw({ layers, sums, pixels }, rows, top) {
    const picture = element('canvas', { width: pixels, height: rows });
    const ctx = picture.getContext('2d');
    const below = new Float64Array(pixels);
    const scale = rows / top;
    const isFine = this.by === 'allocation';
    const paper = colour('--paper');
    for (let layer = 0; layer < layers.names.length; layer++) {
      ctx.fillStyle = colour(layers.colours[layer]);
      const row = layer * (pixels + 1);
      for (let x = 0; x < pixels; ) {
        const bytes = sums[row + x];
        let end = x + 1;
        while (end < pixels && sums[row + end] === bytes && below[end] === below[x]) end++;
        if (bytes > 0) {
          const y = rows - (below[x] + bytes) * scale;
          const height = bytes * scale;
          ctx.fillRect(x, y, end - x, Math.max(0.4, height));
          if (isFine && height > 3) {
            ctx.fillStyle = paper;
            ctx.fillRect(x, y, end - x, 0.7);
            ctx.fillStyle = colour(layers.colours[layer]);
          }
        }
        for (let i = x; i < end; i++) below[i] += bytes;
        x = end;
      }
    }
    return picture;
  }

  /** The list of lines is the legend of lines. */
  showLegend(layers, sums, pixels) {
    if (this.by === 'line') {
      this.legend.replaceChildren();
      return;
    }
    if (this.by === 'allocation') {
      this.legend.replaceChildren(
        element('li', {}, `The ${countText(layers.names.length - 1)} allocations with the most bytes × lifetime in view, in colours of their lines; grey: all others.`),
      );
      return;
    }
    const peaks = layers.names.map((name, i) => sums.subarray(i * (pixels + 1), (i + 1) * (pixels + 1)).reduce((a, b) => Math.max(a, b), 0));
    this.legend.replaceChildren(
      ...layers.names.flatMap((name, i) => {
        if (!(peaks[i] > 0)) return [];
        const swatch = element('i', { className: 'swatch area' });
        swatch.style.setProperty('--swatch', `var(${layers.colours[i]})`);
        return [element('li', { title: name }, swatch, element('span', {}, name), ' ', element('small', {}, 'up to ' + bytesText(peaks[i])))];
      }),
    );
  }
}
