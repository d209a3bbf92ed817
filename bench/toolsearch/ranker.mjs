// The built index, with the two functions that a tool search harness needs: `build(tools)` and `search(query, k)`.
import { openToolIndex } from '../../dist/testing.js';

let current = () => [];

export async function build(tools) {
  current = await open(tools);
}

export function search(query, k) {
  return current(query, k);
}

/** Returns a search over these tools only: (query, k) -> ids. */
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
