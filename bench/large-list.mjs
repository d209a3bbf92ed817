// Lists many tools page by page, through the gateway and directly from the server.
import { openClient } from './json-lines.mjs';
import { median } from './statistics.mjs';

const maxPages = 1000;

/** Reads the whole list from both several times, interleaved. */
export async function measureLargeList({ gate, echo, tools, rounds }) {
  const direct = openClient([process.execPath, echo], { ECHO_TOOLS: String(tools) });
  const through = openClient(gate.stdio, gate.environment);
  try {
    await Promise.all([direct.initialize(), through.initialize()]);
    const first = await readList(through);
    await readList(direct);
    const directRows = [];
    const gateRows = [];
    for (let round = 0; round < rounds; round += 1) {
      directRows.push(await readList(direct));
      gateRows.push(await readList(through));
    }
    return { n: rounds, firstMs: first.ms, direct: summary(directRows), gate: summary(gateRows) };
  } finally {
    await Promise.all([direct.close(), through.close()]);
  }
}

async function readList(client) {
  const started = performance.now();
  const before = client.bytes();
  let tools = 0;
  let pages = 0;
  let cursor;
  do {
    const { result, error } = await client.request('tools/list', cursor === undefined ? {} : { cursor });
    if (error) throw new Error(error.message);
    tools += result.tools.length;
    pages += 1;
    cursor = result.nextCursor;
  } while (cursor !== undefined && pages < maxPages);
  return { tools, pages, bytes: client.bytes() - before, ms: performance.now() - started };
}

function summary(rows) {
  const { tools, pages, bytes } = rows.at(-1);
  return { tools, pages, bytes, ms: median(rows.map((row) => row.ms)) };
}
