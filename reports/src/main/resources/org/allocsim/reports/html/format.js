/* How numbers are written: the same forms as in the terminal. */
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** A size with two decimals in the unit that suits it. */
function bytesText(bytes) {
  if (bytes === null || bytes === undefined || Number.isNaN(bytes)) return '–';
  if (bytes < 0) return '−' + bytesText(-bytes);
  let unit = 0;
  let value = bytes;
  while (unit < UNITS.length - 1 && value >= 1023.995) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? bytes + ' B' : value.toFixed(2) + ' ' + UNITS[unit];
}

/** A size for an axis: no more decimals than the step needs. */
function axisBytes(bytes, step) {
  if (bytes === 0) return '0';
  let unit = 0;
  while (unit < UNITS.length - 1 && bytes / 1024 ** unit >= 1024) unit++;
  const scale = 1024 ** unit;
  const decimals = step / scale >= 1 ? 0 : step / scale >= 0.1 ? 1 : 2;
  return (bytes / scale).toFixed(decimals) + ' ' + UNITS[unit];
}

/** A count with thousands apart. */
function countText(count) {
  if (count === null || count === undefined) return '–';
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** A count and its noun. */
function countOf(count, noun) {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function percentText(ratio) {
  return Number.isFinite(ratio) ? (100 * ratio).toFixed(1) + ' %' : '–';
}

/** A duration with about three digits. */
function durationText(nanos) {
  if (nanos === null || nanos === undefined) return '–';
  if (nanos === 0) return '0 s';
  const abs = Math.abs(nanos);
  if (abs >= 1e9) return (nanos / 1e9).toFixed(abs < 1e11 ? 2 : 0) + ' s';
  if (abs >= 1e6) return (nanos / 1e6).toFixed(abs < 1e7 ? 2 : abs < 1e8 ? 1 : 0) + ' ms';
  return (nanos / 1e3).toFixed(1) + ' µs';
}

/** A size that a reader typed, such as 20 MiB or 512k; NaN where it is none, null where empty. */
function parseBytes(text) {
  if (!text.trim()) return null;
  const match = /^\s*([\d.]+)\s*([kmgt]?)i?b?\s*$/i.exec(text);
  if (!match) return NaN;
  return Number(match[1]) * 1024 ** ' kmgt'.indexOf(match[2].toLowerCase() || ' ');
}

/** The parts of a long name, with places where it may go on in the next line: after what joins its words. */
function breakable(name) {
  const parts = String(name).split(/(?<=[,;:_(=/])/);
  return parts.flatMap((part, i) => (i ? [document.createElement('wbr'), part] : [part]));
}

/** An element with properties and children; text never becomes markup. */
function element(name, properties, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key === 'dataset') Object.assign(made.dataset, value);
    else if (key in made && key !== 'list') made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
