// Vectors of the tools, requested in the background on the first search, and of the query, within a time limit.
import type { Embedder } from './ports.js';
import type { ToolText } from './tool-text.js';

/** A tool and its similarity to the query. */
export interface Liked {
  readonly server: string;
  readonly name: string;
  readonly likeness: number;
}

export interface Vectors {
  setServer(server: string, tools: readonly ToolText[]): void;
  removeServer(server: string): void;
  /** The similarity of each visible tool to the query; empty while unknown. */
  likeness(
    text: string,
    options: { readonly patienceMs: number; readonly visible?: ReadonlySet<string> },
  ): Promise<ReadonlyMap<string, Liked> | undefined>;
  close(): void;
}

interface Kept {
  readonly server: string;
  readonly name: string;
  readonly text: string;
  readonly vector: Float32Array | undefined;
}

const atOnce = 64;
const longest = 1500;
const restMs = 30_000;

export function createVectors(embedder: Embedder): Vectors {
  const kept = new Map<string, Kept>();
  const closing = new AbortController();
  let filling: Promise<void> | undefined;
  let restsUntil = 0;
  const forget = (server: string): void => {
    for (const [id, tool] of kept) if (tool.server === server) kept.delete(id);
  };
  const fill = async (): Promise<void> => {
    for (;;) {
      const missing = [...kept].filter(([, { vector }]) => vector === undefined).slice(0, atOnce);
      if (missing.length === 0 || closing.signal.aborted) return;
      const texts = missing.map(([, { text }]) => text);
      const found = await embedder.embed(texts, closing.signal);
      missing.forEach(([id, tool], at) => {
        const vector = found[at];
        if (vector === undefined) throw new Error('the embedder returned fewer vectors than texts');
        if (kept.get(id) === tool) kept.set(id, { ...tool, vector: unit(vector) });
      });
    }
  };
  const startFilling = (): void => {
    if (filling !== undefined || Date.now() < restsUntil) return;
    // Fails open: search stays lexical, and vectors are requested again later.
    filling = fill()
      .catch(() => {
        restsUntil = Date.now() + restMs;
      })
      .finally(() => {
        filling = undefined;
      });
  };
  return {
    setServer(server, tools) {
      const before = new Map(kept);
      forget(server);
      for (const tool of tools) {
        const text = textOf(server, tool);
        const known = before.get(tool.id);
        const vector = known?.text === text ? known.vector : undefined;
        kept.set(tool.id, { server, name: tool.name, text, vector });
      }
    },
    removeServer: forget,
    async likeness(text, { patienceMs, visible }) {
      const seen = [...kept].filter(([id]) => visible?.has(id) ?? true);
      if (seen.length === 0 || seen.some(([, { vector }]) => vector === undefined)) {
        startFilling();
        return undefined;
      }
      const need = await patiently(embedder, text, { patienceMs, closing: closing.signal });
      if (need === undefined) return undefined;
      return new Map(
        seen.map(([id, { server, name, vector }]) => [id, { server, name, likeness: product(need, vector) }]),
      );
    },
    close: () => closing.abort(),
  };
}

function textOf(server: string, { name, title, description }: ToolText): string {
  return [server, name, title, description]
    .filter((part) => part !== undefined)
    .join('\n')
    .slice(0, longest);
}

/** The query vector, or undefined if it does not arrive in time. */
async function patiently(
  embedder: Embedder,
  text: string,
  { patienceMs, closing }: { readonly patienceMs: number; readonly closing: AbortSignal },
): Promise<Float32Array | undefined> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(patienceMs)]);
  const late = new Promise<undefined>((done) => {
    signal.addEventListener('abort', () => done(undefined), { once: true });
  });
  const asked = ask(embedder, text, signal).then(
    ([vector]) => (vector === undefined ? undefined : unit(vector)),
    () => undefined,
  );
  return Promise.race([asked, late]);
}

/** Turns a synchronous throw into a rejection. */
const ask = async (embedder: Embedder, text: string, signal: AbortSignal): Promise<readonly Float32Array[]> =>
  embedder.embed([text], signal);

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function product(a: Float32Array, b: Float32Array | undefined): number {
  if (b?.length !== a.length) return 0;
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
