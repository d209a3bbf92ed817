import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { readToolSet } from '../../test/support/test-data.js';
import { JsonText } from '../lib/json-text.js';
import type { ToolSpec } from '../core/index.js';
import { openCounter } from './count-tokens.js';

const real = readToolSet('mcp-tools');

function specOf({ name, description, inputSchema }: Readonly<Record<string, unknown>>): ToolSpec {
  return { name, definition: JsonText.from({ name, description, inputSchema }) } as unknown as ToolSpec;
}

describe('counting tokens', () => {
  it.skipIf(real.found === undefined)(
    `is exact with the tokenizer, and close without it, for real tools ${real.reason}`,
    async () => {
      const tools = (real.found?.tools ?? []) as unknown as readonly Readonly<Record<string, unknown>>[];
      const [exact, estimate] = [await openCounter(true), await openCounter(false)];
      const rows = tools.map((tool) => {
        const { name, description, inputSchema } = tool;
        const right = countTokens(JSON.stringify({ name, description, input_schema: inputSchema }));
        return { right, exact: exact.tool(specOf(tool)), estimate: estimate.tool(specOf(tool)) };
      });
      expect(rows.length).toBeGreaterThan(2500);
      const sum = (of: 'right' | 'exact' | 'estimate'): number => rows.reduce((all, row) => all + row[of], 0);
      expect(sum('exact') / sum('right')).toBeCloseTo(1, 4);
      // docs/guides/lazy-tools.md states these.
      expect(Math.abs(sum('estimate') / sum('right') - 1)).toBeLessThan(0.01);
      const errors = rows.map((row) => row.estimate / row.right - 1).sort((a, b) => a - b);
      const at = (share: number): number => errors[Math.floor(errors.length * share)] ?? Number.NaN;
      expect(at(0.05)).toBeGreaterThan(-0.1);
      expect(at(0.95)).toBeLessThan(0.21);
    },
  );

  it('treats special tokens of a model as ordinary text', async () => {
    const { text } = await openCounter(true);
    expect(() => countTokens('a <|endoftext|> b')).toThrow('special token');
    expect(text('a <|endoftext|> b')).toBeGreaterThan(3);
  });

  it('takes time proportional to the text, for any server', async () => {
    const { text } = await openCounter(true);
    const begun = performance.now();
    for (const kind of ['x', '\u00e4', '{', ' ', 'aB', '7']) text(kind.repeat(200_000 / kind.length));
    // Without the cut one of these takes half a minute.
    expect(performance.now() - begun).toBeLessThan(8000);
    expect(text('y'.repeat(2_000_000))).toBe(Math.ceil(2_000_000 / 4.3));
  });
});
