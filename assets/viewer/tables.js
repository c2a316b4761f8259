// Tables of numbers as the program packs them (tools/grashof/viewer/packing.h).
import { inflate } from './inflate.js';

const none = -2147483648; // no finite number

function bytesOf(text) {
  const raw = atob(text),
    bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// The integers of a table, column after column.
function integersOf(table) {
  const { rows, order, data } = table,
    columns = order.length,
    count = rows * columns;
  const bytes = inflate(bytesOf(data), 4 * count),
    all = new Int32Array(count);
  for (let c = 0; c < columns; ++c) {
    const start = c * rows;
    for (let i = start; i < start + rows; ++i) {
      const folded = bytes[i] | (bytes[count + i] << 8) | (bytes[2 * count + i] << 16) | (bytes[3 * count + i] << 24);
      all[i] = (folded >>> 1) ^ -(folded & 1);
    }
    for (let k = 0; k < order[c]; ++k) for (let i = start + 1; i < start + rows; ++i) all[i] = (all[i] + all[i - 1]) | 0;
  }
  return all;
}

// The columns of a table, each an array of `Type`.
export function columnsOf(table, Type = Float32Array) {
  const all = integersOf(table);
  return table.order.map((_, c) => {
    const { rows } = table,
      offset = table.offset[c],
      quantum = table.quantum[c],
      column = new Type(rows);
    for (let r = 0; r < rows; ++r) {
      const level = all[c * rows + r];
      column[r] = level === none ? NaN : offset + quantum * level;
    }
    return column;
  });
}

// The numbers of a table, row after row.
export function rowsOf(table, Type = Float32Array) {
  const columns = columnsOf(table, Type),
    out = new Type(table.rows * columns.length);
  columns.forEach((column, c) => {
    for (let r = 0; r < table.rows; ++r) out[r * columns.length + c] = column[r];
  });
  return out;
}
