/**
 * Text that servers wrote, made safe to read. It is shown only as text, never as markup; here it loses
 * what the eye cannot see (controls, zero-width, bidirectional and tag characters), and says how much.
 */

// Controls, soft hyphen, zero-width and bidirectional marks, fillers, variation selectors, tags; but an emoji
// keeps the selector and the joiners that it is written with.
const INVISIBLE =
  /(\p{Extended_Pictographic}[\ufe0e\ufe0f]?(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f]?)*|[0-9#*]\ufe0f\u20e3)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text of any value without invisible characters: `{text, removed}`; line breaks and tabs stay. */
export function visible(value) {
  const raw = typeof value === "string" ? value : value === null || value === undefined ? "" : String(value);
  let removed = 0;
  const text = raw
    .replace(/\r\n?/g, "\n")
    .replace(INVISIBLE, (_, emoji) => emoji ?? ((removed += 1), ""))
    .replace(LONE_SURROGATE, "\ufffd");
  return { text, removed };
}

/** One line of at most `limit` characters, an ellipsis where it was cut. */
export function oneLine(value, limit = 400) {
  const text = visible(value).text.replace(/\s+/g, " ").trim();
  const letters = Array.from(text.length > limit * 3 ? text.slice(0, limit * 3) : text);
  return letters.length > limit ? letters.slice(0, limit - 1).join("").trimEnd() + "…" : letters.join("");
}

const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|approx|no|fig)|\b[A-Z])\.$/i;

/** A description as sentences, in order; headings, list items and blank lines end one too. */
export function sentences(value) {
  const found = [];
  for (const line of visible(value).text.split(/\n\s*\n|\n(?=\s*(?:[-*#•]|\d+[.)]))/)) {
    let rest = line.replace(/\s+/g, " ").trim();
    let start = 0;
    for (const stop of rest.matchAll(/[.!?…]["')\]]?(?=\s+\S)/g)) {
      const end = stop.index + stop[0].length;
      const sentence = rest.slice(start, end).trim();
      if (ABBREVIATION.test(sentence)) continue;
      if (sentence) found.push(sentence);
      start = end;
    }
    rest = rest.slice(start).trim();
    if (rest) found.push(rest);
  }
  return found;
}

const ADDRESSES_MODEL = [
  /\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|earlier|all)\b/i,
  /\b(?:do not|don't|never)\s+(?:tell|mention|inform|reveal|show)\b.{0,40}\b(?:user|this|it|anyone)\b/i,
  /<\s*\/?\s*(?:important|system|secret|instructions?)\s*>/i,
  /\bbefore\s+(?:any|every|using any)\b.{0,25}\bcall\b.{0,30}\b(?:send|read|pass|first)\b/i,
];

/** Why a text deserves a warning: "" where it does not, else one sentence for people. */
export function warningOf(value) {
  const { text, removed } = visible(value);
  if (ADDRESSES_MODEL.some((pattern) => pattern.test(text))) return "This description addresses the model, not you.";
  if (removed > 0) return "This description holds characters that cannot be seen.";
  return "";
}

/** 1234 as "1,234": the same in every browser language, so that the same graph gives the same page. */
export function count(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 tool", "3 tools". */
export function plural(number, noun, many = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : many}`;
}

/** Confidence as the plates write it: .66, 1. */
export function confidence(value) {
  return value >= 0.995 ? "1" : value.toFixed(2).replace(/^0/, "");
}
