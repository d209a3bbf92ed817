// Metrics for tool search: the first tool found from a group satisfies that need of the query.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function score(found, { relevant, groups = relevant.map((id) => [id]) }) {
  const places = new Map(found.map((id, place) => [id, place]));
  const firsts = groups.map((group) =>
    Math.min(...group.map((id) => places.get(id) ?? Number.POSITIVE_INFINITY)),
  );
  const gain = (place) => (place < 10 ? 1 / Math.log2(place + 2) : 0);
  const sum = (list) => list.reduce((total, one) => total + one, 0);
  return {
    ndcg10: sum(firsts.map(gain)) / sum(groups.slice(0, 10).map((_, place) => gain(place))),
    recall5: firsts.filter((place) => place < 5).length / groups.length,
  };
}

/** A set of the test data; undefined if it does not exist. */
export function loadSet(folder, name) {
  const file = (part) => join(folder, name, `${part}.jsonl`);
  if (!existsSync(file('tools')) || !existsSync(file('queries'))) return undefined;
  const lines = (part) =>
    readFileSync(file(part), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { name, tools: lines('tools'), queries: lines('queries') };
}
