import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../fixtures/servers/catalogue-server.mjs', import.meta.url));

export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

const things = [
  'invoice',
  'customer',
  'calendar event',
  'video',
  'recipe',
  'ticket',
  'branch',
  'photo',
] as const;
const deeds = ['create', 'delete', 'search', 'export', 'translate', 'share'] as const;

/** 48 tools with long descriptions: enough for a gate to think about deferring them. */
export const manyTools: readonly Definition[] = things.flatMap((thing) =>
  deeds.map((deed) => ({
    name: `${deed}_${thing.replace(' ', '_')}`,
    description: `${deed[0]?.toUpperCase() ?? ''}${deed.slice(1)} a ${thing}. ${'This tool belongs to the office suite and works on one item at a time; it checks its arguments before it does anything. '.repeat(7)}`,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: `Which ${thing} is meant.` },
        count: { type: 'integer', description: 'How many times.' },
      },
      required: ['id'],
    },
  })),
);

/** A server for a configuration that offers these tools. */
export function catalogueServer(
  tools: readonly Definition[],
  more: Readonly<Record<string, string>> = {},
): {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const file = join(mkdtempSync(join(tmpdir(), 'tidegate-catalogue-')), 'tools.json');
  writeFileSync(file, JSON.stringify(tools));
  return { command: process.execPath, args: [server], env: { CATALOGUE_FILE: file, ...more } };
}
