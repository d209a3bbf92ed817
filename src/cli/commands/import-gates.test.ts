import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDesk } from '../typed.fixture.js';

let desk: ReturnType<typeof openDesk>;
beforeEach(() => {
  desk = openDesk();
});
afterEach(() => desk.close());

function put(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content, undefined, 2));
}

const gone = { command: '/gone/node', args: ['/gone/tidegate.js', 'mcp'] };

interface Row {
  readonly state: string;
  readonly about?: string;
  readonly detail: string;
  readonly next?: string;
}

async function rows(): Promise<readonly Row[]> {
  const { out } = await desk.type(['doctor', '--only', 'clients', '--json']);
  const { checks } = JSON.parse(out) as { readonly checks: readonly { readonly findings: readonly Row[] }[] };
  return checks[0]?.findings ?? [];
}

describe('gates of one file', () => {
  it('are told apart by the folder of the project, or by their names', async () => {
    const file = join(desk.home, '.claude.json');
    const projects = { [desk.folder]: { mcpServers: { tidegate: gone, second: gone } } };
    put(file, { mcpServers: { tidegate: gone }, projects });
    expect((await rows()).map(({ about }) => about)).toEqual([
      `Claude Code, ${file}`,
      `Claude Code, ${file}, for ${desk.folder}, tidegate`,
      `Claude Code, ${file}, for ${desk.folder}, second`,
    ]);
  });
});
