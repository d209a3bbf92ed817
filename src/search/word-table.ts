// Looks up word numbers directly in a text, because creating a string for each word of a catalog would dominate the cost.
import { ownCopy } from './words.js';

export interface WordTable {
  /** The number of the word at this position of a plain text. */
  find(text: string, from: number, end: number): number | undefined;
  set(text: string, from: number, end: number, number: number): void;
  clear(): void;
}

const places = 1 << 15;
/** Common words come first, so keep the first. */
const most = 12_000;
/** Lowercases a letter; digits are unchanged. */
const toSmall = 32;

export function createWordTable(): WordTable {
  const slots = new Uint16Array(places);
  const words: string[] = [''];
  const numbers: number[] = [0];
  const slotOf = (text: string, from: number, end: number): number => {
    let slot = hashOf(text, from, end) & (places - 1);
    for (let entry = slots[slot] ?? 0; entry !== 0; entry = slots[slot] ?? 0) {
      if (isSame(words[entry] ?? '', text, from, end)) break;
      slot = (slot + 1) & (places - 1);
    }
    return slot;
  };
  return {
    find(text, from, end) {
      const entry = slots[slotOf(text, from, end)] ?? 0;
      return entry === 0 ? undefined : numbers[entry];
    },
    set(text, from, end, number) {
      if (words.length > most) return;
      slots[slotOf(text, from, end)] = words.length;
      words.push(ownCopy(text.slice(from, end).toLowerCase()));
      numbers.push(number);
    },
    clear() {
      slots.fill(0);
      words.length = 1;
      numbers.length = 1;
    },
  };
}

function hashOf(text: string, from: number, end: number): number {
  let hash = 0;
  for (let at = from; at < end; at += 1) hash = (Math.imul(hash, 31) + (text.charCodeAt(at) | toSmall)) | 0;
  return hash ^ (hash >>> 15);
}

function isSame(word: string, text: string, from: number, end: number): boolean {
  if (word.length !== end - from) return false;
  for (let at = from; at < end; at += 1) {
    if (word.charCodeAt(at - from) !== (text.charCodeAt(at) | toSmall)) return false;
  }
  return true;
}
