/* Series of which a pixel is many requests, as a picture: lines that go up and down at every pixel take long to paint. */

/** The numbers of a colour written #rrggbb, as red, green, blue from 0 to 255. */
function rgb(name) {
  const value = parseInt(colour(name).slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** What a pixel of an image is that has these colours one over the other: red, green, blue, opacity from 0 to 1. */
function blended(layers) {
  let alpha = 0;
  let sums = [0, 0, 0];
  for (const { rgb: own, alpha: cover } of layers) {
    sums = sums.map((sum, i) => sum * (1 - cover) + own[i] * cover);
    alpha = alpha * (1 - cover) + cover;
  }
  const [red, green, blue] = sums.map((sum) => (alpha ? Math.round(sum / alpha) : 0));
  // The bytes of a pixel are red, green, blue, opacity.
  return ((Math.round(255 * alpha) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Areas below the highest values, and lines at the highest and the lowest ones. */
class ColumnPicture {
  constructor() {
    this.canvas = document.createElement('canvas');
    this.context = this.canvas.getContext('2d', { willReadFrequently: true });
  }

  /** Takes the colours of the present style; `lines` have a colour, a fill and a dash. */
  style(lines) {
    this.lines = lines.map((line) => ({ ...line, rgb: rgb(line.colour) }));
    this.strokes = this.lines.map((line) => blended([{ rgb: line.rgb, alpha: 1 }]));
    const filled = this.lines.map((line, i) => ({ line, i })).filter(({ line }) => line.fill);
    this.filled = filled.map(({ i }) => i);
    // What lies on a pixel is one of few sets of areas.
    this.fills = Array.from({ length: 1 << filled.length }, (_, set) =>
      blended(filled.filter((__, i) => set & (1 << i)).map(({ line }) => ({ rgb: line.rgb, alpha: line.fill }))),
    );
  }

  /** Draws columns of a view into a plot; `highest` and `lowest` have a value for each column, or none. */
  draw(u, highest, lowest, top) {
    const { left, top: above, width, height } = u.bbox;
    const columns = highest[0].length;
    const rows = Math.round(height);
    if (columns === 0 || rows < 1) return;
    if (!this.image || this.image.width !== columns || this.image.height !== rows) {
      this.canvas.width = columns;
      this.canvas.height = rows;
      this.image = this.context.createImageData(columns, rows);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(0);
    const place = (value) => Math.min(rows, Math.max(0, Math.round(rows * (1 - value / top))));
    const places = (all) => all.map((values) => (values[0] === null || values[0] === undefined ? null : Int32Array.from(values, place)));
    const upper = places(highest);
    this.fillAreas(upper, columns, rows);
    this.lines.forEach((line, i) => {
      if (!upper[i] || line.width === 0) return;
      this.stroke(upper[i], line, this.strokes[i], columns, rows);
      this.stroke(places([lowest[i]])[0], line, this.strokes[i], columns, rows);
    });
    this.context.putImageData(this.image, 0, 0);
    u.ctx.save();
    u.ctx.imageSmoothingEnabled = false;
    u.ctx.drawImage(this.canvas, 0, 0, columns, rows, left, above, width, rows);
    u.ctx.restore();
  }

  fillAreas(upper, columns, rows) {
    const { pixels, fills, filled } = this;
    const shown = filled.filter((i) => upper[i]);
    for (let x = 0; x < columns; x++) {
      // From one upper edge to the next all pixels have the same areas on them.
      let y = rows;
      for (const i of shown) y = Math.min(y, upper[i][x]);
      while (y < rows) {
        let set = 0;
        let next = rows;
        for (const i of shown) {
          const edge = upper[i][x];
          if (edge <= y) set |= 1 << filled.indexOf(i);
          else if (edge < next) next = edge;
        }
        const fill = fills[set];
        for (; y < next; y++) pixels[y * columns + x] = fill;
      }
    }
  }

  /** A line from column to column, without gaps where it steps. */
  stroke(places, line, stroke, columns, rows) {
    const { pixels } = this;
    const thick = Math.max(1, Math.round(line.width * (devicePixelRatio || 1)));
    const [dash, gap] = line.dash ?? [1, 0];
    let before = places[0];
    for (let x = 0; x < columns; x++) {
      const at = places[x];
      if (x % (dash + gap) < dash) {
        const from = Math.max(0, Math.min(at, before) - (thick >> 1));
        const to = Math.min(rows, Math.max(at, before) - (thick >> 1) + thick);
        for (let y = from; y < to; y++) pixels[y * columns + x] = stroke;
      }
      before = at;
    }
  }
}
