// The built index behind the two functions that a harness for tool search asks for: `build(tools)`, `search(query, k)`.
import { openToolIndex } from '../../dist/testing.js';

let current = () => [];

export async function build(tools) {
  current = await open(tools);
}

export function search(query, k) {
  return current(query, k);
}

/** A search over these tools alone: (query, k) -> ids. */
export async function open(tools) {
  const index = await openToolIndex();
  const servers = new Map();
  for (const tool of tools) {
    const own = servers.get(tool.server);
    if (own === undefined) servers.set(tool.server, [tool]);
    else own.push(tool);
  }
  for (const [server, own] of servers) index.setServer(server, own);
  return (query, k) => index.search(query, { limit: k }).hits.map(({ id }) => id);
}
