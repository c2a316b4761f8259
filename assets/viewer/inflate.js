// zlib's format [RFC 1950, RFC 1951], at once: the browsers' own stream is asynchronous, and a page that is drawn for a
// film must be complete when its document is.

// The codes of a Huffman tree by length: how many there are of each, and their symbols in order.
function treeOf(lengths) {
  const count = new Uint16Array(16),
    start = new Uint16Array(16),
    symbols = new Uint16Array(lengths.length);
  for (const length of lengths) ++count[length];
  count[0] = 0;
  for (let i = 1; i < 16; ++i) start[i] = start[i - 1] + count[i - 1];
  lengths.forEach((length, symbol) => {
    if (length) symbols[start[length]++] = symbol;
  });
  return { count, symbols };
}

const lengthBase = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBase = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385,
  24577,
];
const distanceBits = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const fixedLiterals = treeOf([...Array(288).keys()].map((i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)));
const fixedDistances = treeOf(Array(30).fill(5));

// `size`: of what comes out.
export function inflate(input, size) {
  const out = new Uint8Array(size);
  let at = 2,
    to = 0,
    hold = 0,
    held = 0; // after the header of two bytes
  const bits = (n) => {
    while (held < n) {
      hold |= input[at++] << held;
      held += 8;
    }
    const value = hold & ((1 << n) - 1);
    hold >>>= n;
    held -= n;
    return value;
  };
  const decode = (tree) => {
    let code = 0,
      first = 0,
      index = 0;
    for (let length = 1; length < 16; ++length) {
      if (!held) {
        hold = input[at++];
        held = 8;
      }
      code |= hold & 1;
      hold >>>= 1;
      --held;
      const count = tree.count[length];
      if (code - count < first) return tree.symbols[index + (code - first)];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Error('the data of this page is damaged');
  };
  const trees = () => {
    const literals = bits(5) + 257,
      distances = bits(5) + 1,
      codes = bits(4) + 4;
    const short = new Uint8Array(19);
    for (let i = 0; i < codes; ++i) short[lengthOrder[i]] = bits(3);
    const tree = treeOf(short),
      lengths = new Uint8Array(literals + distances);
    for (let i = 0; i < literals + distances;) {
      const symbol = decode(tree);
      if (symbol < 16) {
        lengths[i++] = symbol;
        continue;
      }
      const value = symbol === 16 ? lengths[i - 1] : 0;
      const times = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
      for (let k = 0; k < times; ++k) lengths[i++] = value;
    }
    return [treeOf(lengths.subarray(0, literals)), treeOf(lengths.subarray(literals))];
  };
  for (let last = 0; !last;) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      hold = held = 0;
      const length = input[at] | (input[at + 1] << 8);
      out.set(input.subarray(at + 4, at + 4 + length), to);
      at += 4 + length;
      to += length;
      continue;
    }
    const [literals, distances] = kind === 1 ? [fixedLiterals, fixedDistances] : trees();
    for (;;) {
      const symbol = decode(literals);
      if (symbol < 256) {
        out[to++] = symbol;
        continue;
      }
      if (symbol === 256) break;
      const length = lengthBase[symbol - 257] + bits(lengthBits[symbol - 257]);
      const far = decode(distances),
        distance = distanceBase[far] + bits(distanceBits[far]);
      if (distance === 1) out.fill(out[to - 1], to, to + length);
      else for (let k = 0; k < length; ++k) out[to + k] = out[to + k - distance];
      to += length;
    }
  }
  return out;
}
