export interface EmbeddingsOptions {
  /** Ends with `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly key?: string;
}

/** How many texts go into one request, and how much of each matters. */
const batchSize = 64;
const longestText = 2000;
const requestMs = 30_000;

/** Uses an endpoint with the OpenAI API. */
export function createEmbedder({ url, model, key }: EmbeddingsOptions): {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
} {
  const address = new URL(`${url.replace(/\/+$/, '')}/embeddings`);
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };

  async function ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const response = await fetch(address, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, longestText)) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`the embeddings endpoint answered with ${String(response.status)}`);
    return vectorsIn(await response.json(), texts.length);
  }

  return {
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize)
        vectors.push(...(await ask(texts.slice(at, at + batchSize), signal)));
      return vectors;
    },
  };
}

/** Trusts nothing in the answer: requires one vector of numbers per text, all of the same length. */
function vectorsIn(answer: unknown, count: number): readonly Float32Array[] {
  const { data } = (answer ?? {}) as { readonly data?: unknown };
  const entries = (Array.isArray(data) ? data : []) as readonly {
    readonly index?: unknown;
    readonly embedding?: unknown;
  }[];
  const found = Array.from({ length: count }, (_, at) => {
    const entry = entries.find(({ index }) => index === at) ?? entries[at];
    return isVector(entry?.embedding) ? Float32Array.from(entry.embedding) : undefined;
  });
  const vectors = found.filter((vector) => vector !== undefined);
  const [first] = vectors;
  if (vectors.length !== count || vectors.some(({ length }) => length !== first?.length))
    throw new Error('the embeddings endpoint did not return one vector per text');
  return vectors;
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => Number.isFinite(one));
}
