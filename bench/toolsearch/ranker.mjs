// The built index behind the two functions that a harness for tool search asks for: `build(tools)`, `search(query, k)`.
import { openToolIndex } from '../../dist/testing.js';

let index = await openToolIndex();

export async function build(tools) {
  index = await openToolIndex();
  const servers = Map.groupBy
    ? Map.groupBy(tools, ({ server }) => server)
    : tools.reduce((by, tool) => by.set(tool.server, [...(by.get(tool.server) ?? []), tool]), new Map());
  for (const [server, own] of servers) index.setServer(server, own);
}

export function search(query, k) {
  return index.search(query, { limit: k }).hits.map(({ id }) => id);
}
