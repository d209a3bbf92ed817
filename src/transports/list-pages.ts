import { createHash } from 'node:crypto';
import type { JsonText } from '../lib/json-text.js';
import type { Spec } from '../core/index.js';

export interface Page {
  readonly items: string;
  readonly nextCursor: string | undefined;
}

/** Clients read a list up to this length at once; longer lists are split into pages. */
const maxItems = 1000;
const maxChars = 2 * 1024 * 1024;

interface Pages {
  readonly tag: string;
  readonly pages: readonly string[];
}

export interface Pager {
  /** One page of a list, or undefined if the cursor does not belong to the current list. */
  page(specs: readonly Spec[], cursor: string | undefined): Page | undefined;
}

/** Splits lists into pages, once per list; `shape` formats a definition for this protocol version. */
export function createPager(shape: (definition: JsonText) => string): Pager {
  const known = new WeakMap<readonly Spec[], Pages>();
  return {
    page(specs, cursor) {
      let pages = known.get(specs);
      if (pages === undefined) {
        pages = cut(specs.map((spec) => shape(spec.definition)));
        known.set(specs, pages);
      }
      return pick(pages, cursor);
    },
  };
}

function pick({ tag, pages }: Pages, cursor: string | undefined): Page | undefined {
  const at = cursor === undefined ? 0 : pageNumber(cursor, tag);
  const items = pages[at];
  if (items === undefined) return undefined;
  return { items, nextCursor: at + 1 < pages.length ? `${tag}.${String(at + 1)}` : undefined };
}

function pageNumber(cursor: string, tag: string): number {
  const number = tag !== '' && cursor.startsWith(`${tag}.`) ? cursor.slice(tag.length + 1) : '';
  return /^[1-9]\d{0,6}$/.test(number) ? Number(number) : -1;
}

function cut(texts: readonly string[]): Pages {
  const pages: string[] = [];
  let current: string[] = [];
  let chars = 0;
  for (const text of texts) {
    if (current.length > 0 && (current.length >= maxItems || chars + text.length > maxChars)) {
      pages.push(current.join(','));
      current = [];
      chars = 0;
    }
    current.push(text);
    chars += text.length;
  }
  pages.push(current.join(','));
  return { tag: pages.length === 1 ? '' : tagOf(pages), pages };
}

/** A cursor is valid only for the list it was created for. */
function tagOf(pages: readonly string[]): string {
  const hash = createHash('sha256');
  for (const page of pages) hash.update(page);
  return hash.digest('base64url').slice(0, 16);
}
