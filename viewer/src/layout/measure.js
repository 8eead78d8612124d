/**
 * Widths of names in CSS px, from a table of advances (Noto Sans SemiBold, TeX Gyre Pagella Italic), so
 * that the same graph gives the same map whatever fonts a machine has; 4 % is added for other fonts.
 */

// Advances of U+0020 to U+007E in hundredths of an em.
const SANS =
  "26 29 47 65 57 90 75 27 34 34 54 57 28 32 28 41 57 57 57 57 57 57 57 57 57 57 28 28 57 57 57 48 90 69 67 64 74 56 55 72 76 39 33 66 56 94 81 80 63 80 66 55 58 76 65 97 67 62 58 33 41 33 57 41 36 60 63 51 63 59 39 63 66 30 30 62 30 98 66 62 63 63 45 50 43 66 57 86 58 57 49 39 55 39 57";
const SERIF =
  "25 33 50 50 50 89 78 23 46 46 39 76 25 33 25 49 50 50 50 50 50 50 50 50 50 50 25 25 77 76 77 50 75 72 61 67 78 61 56 72 78 33 33 67 56 94 78 78 61 78 67 56 61 78 72 94 72 67 67 43 49 43 61 50 33 44 46 41 50 39 28 50 50 28 28 44 28 78 56 44 50 46 39 39 33 56 50 72 50 50 44 44 21 44 61";
const CAPITALS =
  "25 28 37 50 50 84 78 21 46 46 39 76 25 33 25 49 50 50 50 50 50 50 50 50 50 50 25 25 77 76 77 44 75 78 61 71 77 61 56 76 83 34 33 73 61 95 83 79 60 79 67 52 61 78 72 100 67 67 67";

const TABLES = { sans: SANS, serif: SERIF, capitals: CAPITALS };
for (const name of Object.keys(TABLES)) TABLES[name] = TABLES[name].split(" ").map((each) => each / 100);

/** Width of `text` at `size` px; `face` sans, serif or capitals; `spacing` in em. */
export function textWidth(text, size, face = "sans", spacing = 0) {
  const table = TABLES[face];
  let ems = 0;
  let letters = 0;
  for (const letter of face === "capitals" ? text.toUpperCase() : text) {
    const code = letter.codePointAt(0);
    ems += table[code - 32] ?? (code < 0x1100 ? 0.68 : 1.02);
    letters += 1;
  }
  return (ems * 1.04 + letters * spacing) * size;
}

const BREAK_PAST = 17;
const LINE_MOST = 26;

/** A tool's name as one or two lines, broken at an underscore (or hyphen, capital) past 17 characters. */
export function nameLines(name) {
  const letters = Array.from(name);
  if (letters.length <= BREAK_PAST) return [name];
  let best = 0;
  let worst = Infinity;
  for (let i = 4; i < letters.length - 2; i += 1) {
    const before = letters[i - 1];
    const word = /[_\-. /:]/.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(letters[i]));
    const longer = Math.max(i, letters.length - i);
    if (word && longer < worst) [best, worst] = [i, longer];
  }
  if (!best) best = Math.min(LINE_MOST, letters.length);
  return [letters.slice(0, best), letters.slice(best)].filter((line) => line.length).map(shorten);
}

function shorten(letters) {
  return letters.length > LINE_MOST ? letters.slice(0, LINE_MOST - 1).join("") + "…" : letters.join("");
}

/** Letter-spacing of a territory's name in the world, in em: wider for larger lands. */
export const worldSpacing = (tools) => (tools > 40 ? 0.2 : tools > 15 ? 0.12 : 0.07);

/** Size of a territory's name in the world, px. */
export const worldSize = (tools, most) => 10.5 + 15.5 * Math.sqrt(tools / Math.max(1, most));
