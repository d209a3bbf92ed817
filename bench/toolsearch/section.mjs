// The section of docs/benchmarks.md about tool search.
export function sectionText({ run, quality, stuffing, cost, verdicts }) {
  const over = verdicts.filter(({ isKept }) => !isKept);
  return `The built index (\`tidegate/testing\`, \`openToolIndex\`) on public data sets of queries and tools, compared in the same run
with BM25 that uses the fields, tokenizer and constants of FastMCP's search. Tidegate itself does not use these data sets.
${run.machine}, commit ${run.commit}, ${run.date}, load ${run.load[0]} before and ${run.load[1]} after.

**${verdicts.length - over.length} of ${verdicts.length} met.** ${over.length === 0 ? 'None missed.' : `Missed: ${over.map(({ what, value }) => `${what} (${value})`).join('; ')}.`}

| nDCG@10 / recall@5 | tools | queries | FastMCP-style | Tidegate |
|---|---|---|---|---|
${quality.map(qualityRow).join('\n')}

\`mcp-tools\` has only 20 queries, so treat it as a smoke test.

Keyword stuffing: five hostile tools contain the 300 most common words of a set, in each field that a provider can
set. The table shows the share of queries with one of them in the first five results, and the loss in nDCG@10. Limits: 1 %, 0.005.

| where | ${stuffing.map(({ set }) => set).join(' | ')} |
|---|${stuffing.map(() => '---').join('|')}|
${stuffing[0].rows.map((row, at) => `| ${row.way} | ${stuffing.map(({ rows }) => attackText(rows[at])).join(' | ')} |`).join('\n')}

Cost: build is wall time, the rest is CPU time. Each query runs ${cost.turns} times (median); the table shows the lowest of
${cost.processes} new processes, because other work on the machine can only add time${cost.isRealTime ? ' (it had to wait: `chrt -r 1`)' : ''}.

| tools | build | first search | p50 | p99 | index | a server of 50 tools added |
|---|---|---|---|---|---|---|
${cost.rows.map(costRow).join('\n')}

The index size includes the lexicon, the segments and one view. The time to add a server excludes the next search, which
builds a new view of all visible tools: see "first search".`;
}

const pair = ({ ndcg10, recall5 }) => `${ndcg10.toFixed(3)} / ${recall5.toFixed(3)}`;
const qualityRow = ({ set, tools, queries, peer, ours }) =>
  `| ${set} | ${tools ?? ''} | ${queries ?? ''} | ${pair(peer)} | ${pair(ours)} |`;
const attackText = ({ share, loss }) => `${(share * 100).toFixed(1)} %, ${loss.toFixed(4)}`;
const costRow = ({ tools, build, first, p50, p99, megabytes, added }) =>
  `| ${tools.toLocaleString('en')} | ${build.toFixed(0)} ms | ${first.toFixed(0)} ms | ${p50.toFixed(2)} ms | ${p99.toFixed(2)} ms | ${megabytes.toFixed(1)} MB | ${added.toFixed(1)} ms |`;
