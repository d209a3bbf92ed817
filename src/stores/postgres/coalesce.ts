/** Query many keys at once and return a lookup. */
type AskAll<Value> = (keys: readonly string[]) => Promise<(key: string) => Value>;

interface Batch<Value> {
  readonly keys: Set<string>;
  readonly answer: Promise<(key: string) => Value>;
  readonly send: () => void;
}

/**
 * Share one query among all callers that arrive before it is sent. A caller never gets the result of an
 * earlier query: it would miss writes that the caller already knows about.
 */
export function createCoalescer<Value>(
  askAll: AskAll<Value>,
  mostAtOnce = 2,
): (key: string) => Promise<Value> {
  let collecting: Batch<Value> | undefined;
  let underWay = 0;
  const send = (): void => {
    const batch = collecting;
    collecting = undefined;
    batch?.send();
  };
  const collect = (): Batch<Value> => {
    const keys = new Set<string>();
    let start = (): void => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const ask = async (): Promise<(key: string) => Value> => {
      await started;
      try {
        return await askAll([...keys]);
      } finally {
        underWay -= 1;
        if (collecting !== undefined) send();
      }
    };
    return {
      keys,
      answer: ask(),
      send() {
        underWay += 1;
        start();
      },
    };
  };
  return async (key) => {
    if (collecting === undefined) {
      collecting = collect();
      // Callers in the same tick share the query.
      if (underWay < mostAtOnce) queueMicrotask(send);
    }
    const { keys, answer } = collecting;
    keys.add(key);
    return (await answer)(key);
  };
}
