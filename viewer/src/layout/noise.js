/** Seeded value noise: the small bays and points of a coast, the same for the same server. */

/** A generator of numbers in [0, 1) from a 32-bit seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function lattice(seed, x, y) {
  let h = (seed ^ Math.imul(x, 374761393) ^ Math.imul(y, 668265263)) | 0;
  h = Math.imul(h ^ (h >>> 13), 1274126177);
  return ((h ^ (h >>> 16)) >>> 0) / 2147483648 - 1;
}

/** Value noise in [-1, 1] at (x, y), one cell of the lattice a `wavelength`. */
export function valueNoise(seed, x, y, wavelength) {
  const u = x / wavelength;
  const v = y / wavelength;
  const i = Math.floor(u);
  const j = Math.floor(v);
  const fu = u - i;
  const fv = v - j;
  const su = fu * fu * (3 - 2 * fu);
  const sv = fv * fv * (3 - 2 * fv);
  const top = lattice(seed, i, j) * (1 - su) + lattice(seed, i + 1, j) * su;
  const bottom = lattice(seed, i, j + 1) * (1 - su) + lattice(seed, i + 1, j + 1) * su;
  return top * (1 - sv) + bottom * sv;
}

/** The sum of `[amplitude, wavelength]` octaves at (x, y). */
export function octaves(seed, x, y, bands) {
  let sum = 0;
  for (let i = 0; i < bands.length; i += 1) sum += bands[i][0] * valueNoise(seed + i * 7919, x, y, bands[i][1]);
  return sum;
}
