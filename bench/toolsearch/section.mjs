// The part of docs/benchmarks.md about the search of tools.
export function sectionText({ run, quality, stuffing, cost, verdicts }) {
  const over = verdicts.filter(({ isKept }) => !isKept);
  return `The built index (\`tidegate/testing\`, \`openToolIndex\`) on public sets of needs and tools, beside BM25 with the fields,
tokenizer and constants of FastMCP's search, in the same run. Nothing in the product depends on these sets.
${run.machine}, commit ${run.commit}, ${run.date}, load ${run.load[0]} before and ${run.load[1]} after.

**${verdicts.length - over.length} of ${verdicts.length} kept.** ${over.length === 0 ? 'None is over.' : `Not kept: ${over.map(({ what, value }) => `${what} (${value})`).join('; ')}.`}

| nDCG@10 / recall@5 | tools | needs | FastMCP-style | Tidegate |
|---|---|---|---|---|
${quality.map(qualityRow).join('\n')}

\`mcp-tools\` has 20 needs that count: a smoke test, not a score.

Keyword stuffing: five hostile tools with the 300 commonest words of a set, put in each place that a provider can write
to. The share of needs with one of them in the first five, and what nDCG@10 loses. Bounds: 1 %, 0.005.

| where | ${stuffing.map(({ set }) => set).join(' | ')} |
|---|${stuffing.map(() => '---').join('|')}|
${stuffing[0].rows.map((row, at) => `| ${row.way} | ${stuffing.map(({ rows }) => attackText(rows[at])).join(' | ')} |`).join('\n')}

What it costs: the build by the clock, the rest in CPU time; each need asked ${cost.turns} times, its median; the least of
${cost.processes} fresh processes, because other work on the machine can only add${cost.isRealTime ? ' (it had to wait: `chrt -r 1`)' : ''}.

| tools | build | first search | p50 | p99 | index | a server of 50 tools added |
|---|---|---|---|---|---|---|
${cost.rows.map(costRow).join('\n')}

The index's size counts the lexicon, the segments and one view. Adding a server is measured without the next search,
which makes a new view of all that is visible: that is the first search.`;
}

const pair = ({ ndcg10, recall5 }) => `${ndcg10.toFixed(3)} / ${recall5.toFixed(3)}`;
const qualityRow = ({ set, tools, queries, peer, ours }) =>
  `| ${set} | ${tools ?? ''} | ${queries ?? ''} | ${pair(peer)} | ${pair(ours)} |`;
const attackText = ({ share, loss }) => `${(share * 100).toFixed(1)} %, ${loss.toFixed(4)}`;
const costRow = ({ tools, build, first, p50, p99, megabytes, added }) =>
  `| ${tools.toLocaleString('en')} | ${build.toFixed(0)} ms | ${first.toFixed(0)} ms | ${p50.toFixed(2)} ms | ${p99.toFixed(2)} ms | ${megabytes.toFixed(1)} MB | ${added.toFixed(1)} ms |`;
