import { describe, expect, it } from 'vitest';
import { JsonText } from '../lib/json-text.js';
import type { Spec, ToolSpec } from '../core/index.js';
import { createPager, type Page, type Pager } from './list-pages.js';

function tools(count: number, description = ''): readonly ToolSpec[] {
  return Array.from({ length: count }, (_, at) => ({
    kind: 'tool',
    name: `tool-${at}`,
    localName: `tool-${at}`,
    source: 'builtin',
    effect: 'read',
    hints: {},
    definition: JsonText.from({ name: `tool-${at}`, description }),
  }));
}

const plain = (): Pager => createPager((definition) => definition.text);

/** Follow every cursor, as a client does. */
function readAll(pager: Pager, specs: readonly Spec[]): Page[] {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const page = pager.page(specs, cursor);
    if (page === undefined) throw new Error(`no page for ${String(cursor)}`);
    pages.push(page);
    cursor = page.nextCursor;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}

function namesOf(pages: readonly Page[]): unknown[] {
  return pages.flatMap(({ items }) => JSON.parse(`[${items}]`) as { name: string }[]).map(({ name }) => name);
}

describe('the pages of a list', () => {
  it('are one page for a short list, without a cursor', () => {
    expect(plain().page(tools(3), undefined)).toMatchObject({ nextCursor: undefined });
    expect(plain().page([], undefined)).toEqual({ items: '', nextCursor: undefined });
  });

  it('contain every item once, in order, for any length', () => {
    for (const count of [1, 999, 1000, 1001, 10_000]) {
      const specs = tools(count);
      expect(namesOf(readAll(plain(), specs))).toEqual(specs.map(({ name }) => name));
    }
  });

  it('are limited in size too, and an item larger than a page gets its own', () => {
    const specs = [...tools(2, 'x'.repeat(3 * 1024 * 1024)), ...tools(1)];
    expect(readAll(plain(), specs)).toHaveLength(3);
  });

  it('keep the text of each definition', () => {
    const definition = new JsonText('{ "name":"a", "n":12345678901234567890 }');
    const [spec] = tools(1);
    const page = plain().page(spec ? [{ ...spec, definition }] : [], undefined);
    expect(page?.items).toBe('{ "name":"a", "n":12345678901234567890 }');
  });

  it('are formatted for each protocol version, once per list', () => {
    let shaped = 0;
    const pager = createPager((definition) => {
      shaped += 1;
      return definition.text.replace('tool', 'TOOL');
    });
    const specs = tools(5);
    expect(pager.page(specs, undefined)?.items).toContain('TOOL-0');
    pager.page(specs, undefined);
    expect(shaped).toBe(5);
  });
});

describe('a cursor', () => {
  const specs = tools(2500);
  const pager = plain();
  const cursor = pager.page(specs, undefined)?.nextCursor ?? 'none';

  it('is valid for the same list, even after a rebuild', () => {
    expect(pager.page(specs, cursor)).toBeDefined();
    expect(plain().page(tools(2500), cursor)).toBeDefined();
  });

  it('is invalid for a changed list', () => {
    expect(pager.page(tools(2501), cursor)).toBeUndefined();
  });

  const tag = cursor.slice(0, cursor.lastIndexOf('.'));
  it.each([
    '',
    'x',
    '1',
    '.1',
    tag,
    `${tag}.`,
    `${tag}.0`,
    `${tag}.3`,
    `${tag}.-1`,
    `${tag}.1.5`,
    `${tag}.01`,
    `${tag}.1e0`,
    `${tag}. 1`,
    `${tag}.99999999`,
  ])('that was never issued is refused: %j', (forged) => {
    expect(pager.page(specs, forged)).toBeUndefined();
  });

  it('does not exist for a list of one page', () => {
    expect(pager.page(tools(3), '.1')).toBeUndefined();
    expect(pager.page(tools(3), '')).toBeUndefined();
  });
});
