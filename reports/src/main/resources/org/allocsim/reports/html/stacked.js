/* What fills memory over time, in layers: by category, by stack, or the largest allocations each for itself. */

const LAYERS = 7;
const LARGEST = 200;
const LAYER_HEIGHT = 220;

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
  const lived = (i) => trace.size[i] * Math.max(0, Math.min(to, run.done[i]) - Math.max(from, trace.birth[i]));
  if (by === 'stack') {
    const weight = new Float64Array(trace.about.stacks.length);
    yield* each(n, (i) => (weight[trace.stack[i]] += lived(i)));
    const top = [...weight.keys()].filter((stack) => weight[stack] > 0).sort((a, b) => weight[b] - weight[a]).slice(0, LAYERS);
    const place = new Uint16Array(weight.length).fill(top.length);
    top.forEach((stack, i) => (place[stack] = i));
    yield* each(n, (i) => (layer[i] = place[trace.stack[i]]));
    return {
      layer,
      names: [...top.map((stack) => trace.about.stacks[stack] || 'stack not recorded'), 'other stacks'],
      colours: [...STACK_COLOURS.slice(0, top.length), '--other'],
    };
  }
  const top = yield* heaviest(n, lived, LARGEST);
  top.forEach((block, i) => (layer[block] = i + 1));
  return {
    layer,
    blocks: [-1, ...top],
    names: ['all others', ...top.map((block) => `${bytesText(trace.size[block])}, ${trace.stackName(block) || 'stack not recorded'}`)],
    colours: ['--other', ...top.map((block) => STACK_COLOURS[trace.stack[block] % STACK_COLOURS.length])],
  };
}

/** Of every pixel the moment at which the program holds the most; of one without an event the last before it. */
function* momentsOf(requested, { from, to }, pixels) {
  const scale = pixels / (to - from);
  const moments = new Int32Array(pixels).fill(-1);
  const first = Math.ceil(from);
  const { values } = requested;
  yield* each(Math.max(0, Math.min(values.length, Math.ceil(to)) - first), (i) => {
    const at = first + i;
    const x = Math.floor((at - from) * scale);
    if (moments[x] < 0 || values[at] > values[moments[x]]) moments[x] = at;
  });
  for (let x = 0, last = first - 1; x < pixels; x++) moments[x] = last = moments[x] < 0 ? last : moments[x];
  return moments;
}

/** Bytes of every layer at one moment of every pixel. */
function* layerSums(trace, run, layers, { from, to }, pixels) {
  const count = layers.names.length;
  const sums = new Float64Array(count * (pixels + 1));
  const scale = pixels / (to - from);
  const moments = yield* momentsOf(run.series.requested, { from, to }, pixels);
  /** The first pixel whose moment is not before a position. */
  const pixelOf = (at) => {
    let x = Math.max(0, Math.floor((at - from) * scale));
    while (x < pixels && moments[x] < at) x++;
    return Math.min(pixels, x);
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

class StackedChart {
  constructor(canvas, legend, timeline) {
    this.canvas = canvas;
    this.legend = legend;
    this.timeline = timeline;
    this.by = 'category';
    this.width = canvas.clientWidth;
    // To ask for it in every frame would have the browser lay the page out.
    new ResizeObserver(() => {
      this.width = canvas.clientWidth;
      this.schedule();
    }).observe(canvas.parentElement);
  }

  show(run) {
    this.run = run;
    this.schedule();
  }

  /** Draws what is known in the next frame, and the rest once the view has come to rest, as every block is looked at. */
  schedule() {
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
    if (this.asked === this.key()) return;
    this.asked = this.key();
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.compute(), 40);
  }

  pixels() {
    return Math.max(50, Math.floor(this.width - AXIS - EDGE));
  }

  /** What the sums depend on. */
  key() {
    const { from, to } = this.timeline.view;
    return this.run ? [this.run.about.id, this.run.isWhole, this.by, from, to, this.pixels()].join() : '';
  }

  async compute() {
    const { run, by, asked } = this;
    if (!run || !run.isWhole) return;
    const view = { ...this.timeline.view };
    const pixels = this.pixels();
    const work = function* () {
      const layers = yield* layersOf(run.trace, run, by, view);
      return { run, by, layers, sums: yield* layerSums(run.trace, run, layers, view, pixels), pixels, view };
    };
    const drawn = await gently(work(), () => this.asked !== asked);
    if (!drawn) return;
    this.drawn = drawn;
    this.restyle();
    this.showLegend(drawn.layers, drawn.sums, pixels);
  }

  /** Paints the layers anew, in the present style. */
  restyle() {
    const { drawn } = this;
    if (!drawn) return;
    const ratio = devicePixelRatio || 1;
    this.picture = element('canvas', { width: Math.round(this.width * ratio), height: Math.round(LAYER_HEIGHT * ratio) });
    const ctx = this.picture.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawLayers(ctx, drawn.layers, drawn.sums, drawn.pixels);
    this.draw();
  }

  /** Shows the painted layers where they are in the present view, and the time cursor. */
  draw() {
    const { canvas, run, drawn, picture } = this;
    if (!run || !run.isWhole || !drawn || drawn.run !== run || drawn.by !== this.by) return;
    const ratio = devicePixelRatio || 1;
    const width = Math.round(this.width * ratio);
    if (canvas.width !== width) {
      canvas.width = width;
      canvas.height = Math.round(LAYER_HEIGHT * ratio);
    }
    const ctx = canvas.getContext('2d');
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, LAYER_HEIGHT);
    // What moves is shown for a moment only.
    ctx.imageSmoothingEnabled = false;
    const pixels = this.pixels();
    const { view } = this.timeline;
    const span = view.to - view.from;
    const place = (at) => AXIS + ((at - view.from) / span) * pixels;
    const height = LAYER_HEIGHT;
    ctx.drawImage(picture, 0, 0, AXIS * ratio, picture.height, 0, 0, AXIS, height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(AXIS, 0, pixels, height);
    ctx.clip();
    const left = place(drawn.view.from);
    ctx.drawImage(picture, AXIS * ratio, 0, drawn.pixels * ratio, picture.height, left, 0, place(drawn.view.to) - left, height);
    ctx.restore();
    const at = place(this.timeline.cursor + 0.5);
    if (at >= AXIS && at <= AXIS + pixels) {
      ctx.fillStyle = colour('--ink');
      ctx.fillRect(at, 0, 1.5, height);
    }
  }

  drawLayers(ctx, layers, sums, pixels) {
    const below = new Float64Array(pixels);
    let top = 1;
    for (let x = 0; x < pixels; x++) {
      let sum = 0;
      for (let layer = 0; layer < layers.names.length; layer++) sum += sums[layer * (pixels + 1) + x];
      top = Math.max(top, sum);
    }
    const scale = (LAYER_HEIGHT - 12) / top;
    ctx.font = '12px system-ui, sans-serif';
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    const ticks = byteTicks(top, 4);
    for (const tick of ticks) {
      const y = LAYER_HEIGHT - tick * scale - 1;
      ctx.fillStyle = colour('--grid');
      ctx.fillRect(AXIS, y, pixels, 1);
      ctx.fillStyle = colour('--ink-soft');
      ctx.fillText(axisBytes(tick, ticks[1] || tick), AXIS - 8, Math.max(8, Math.min(LAYER_HEIGHT - 7, y)));
    }
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
          const y = LAYER_HEIGHT - (below[x] + bytes) * scale;
          const height = bytes * scale;
          ctx.fillRect(AXIS + x, y, end - x, Math.max(0.4, height));
          if (isFine && height > 3) {
            ctx.fillStyle = paper;
            ctx.fillRect(AXIS + x, y, end - x, 0.7);
            ctx.fillStyle = colour(layers.colours[layer]);
          }
        }
        for (let i = x; i < end; i++) below[i] += bytes;
        x = end;
      }
    }
  }

  showLegend(layers, sums, pixels) {
    const shown = this.by === 'allocation' ? [] : layers.names.map((name, i) => i);
    const peaks = layers.names.map((name, i) => sums.subarray(i * (pixels + 1), (i + 1) * (pixels + 1)).reduce((a, b) => Math.max(a, b), 0));
    this.legend.replaceChildren(
      ...shown
        .filter((i) => peaks[i] > 0)
        .map((i) => {
          const swatch = element('i', { className: 'swatch area' });
          swatch.style.setProperty('--swatch', `var(${layers.colours[i]})`);
          return element('li', { title: layers.names[i] }, swatch, element('span', {}, layers.names[i]), ' ', element('small', {}, 'up to ' + bytesText(peaks[i])));
        }),
      ...(this.by === 'allocation'
        ? [element('li', {}, `The ${countText(layers.names.length - 1)} allocations with the most bytes × lifetime in view, in colours of their stacks; grey: all others.`)]
        : []),
    );
  }
}
