import type { Place } from './gate.js';
import { nodeServer } from './hostile-servers.js';
import { openRawStdio, type RawAnswer, type RawClient, type RawClientOptions } from './raw-client.js';

export interface PagingOptions {
  readonly mode?: 'whole' | 'loop' | 'repeat' | 'endless' | 'silent' | 'slow';
  readonly protocol?: 'legacy' | 'modern';
  readonly tools?: number;
  readonly size?: number;
  readonly delayMs?: number;
  /** These tools and no others. */
  readonly names?: readonly string[];
}

/** A `servers` entry for the server that lists its tools in pages. */
export function pagingServer(requests: PagingOptions): Readonly<Record<string, unknown>> {
  const { mode, protocol, tools, size, delayMs, names } = requests;
  const env = {
    PAGING_MODE: mode,
    PAGING_ERA: protocol,
    PAGING_TOOLS: tools,
    PAGING_SIZE: size,
    PAGING_DELAY: delayMs,
    PAGING_NAMES: names?.join(','),
  };
  const given = Object.entries(env).filter(([, value]) => value !== undefined);
  return {
    ...nodeServer('paging-server.mjs'),
    env: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  };
}

interface ListedPage {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

export interface Walked {
  readonly names: readonly string[];
  readonly cursors: readonly string[];
  /** The results as they came. */
  readonly texts: readonly string[];
}

export function pageOf(answer: RawAnswer): ListedPage {
  if (answer.result === undefined) throw new Error(`no list: ${answer.text}`);
  return JSON.parse(answer.result) as ListedPage;
}

export const listMembers = (cursor?: string): string =>
  cursor === undefined ? '' : `"cursor":${JSON.stringify(cursor)}`;

const mostPages = 2000;

/** Follows every cursor to the end. */
export async function walkTools(client: RawClient): Promise<Walked> {
  const names: string[] = [];
  const cursors: string[] = [];
  const texts: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await client.request('tools/list', listMembers(cursor));
    const { tools, nextCursor } = pageOf(answer);
    for (const { name } of tools) names.push(name);
    texts.push(answer.result ?? '');
    if (nextCursor === undefined) return { names, cursors, texts };
    cursors.push(nextCursor);
    cursor = nextCursor;
  }
  throw new Error(`the list did not end within ${String(mostPages)} pages`);
}

/** Runs something in front of `tidegate mcp`. */
export async function withStdioClient<T>(
  place: Place,
  options: RawClientOptions,
  use: (client: Awaited<ReturnType<typeof openRawStdio>>) => Promise<T>,
): Promise<T> {
  const client = await openRawStdio(place, options);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
