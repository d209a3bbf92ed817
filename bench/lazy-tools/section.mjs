// The part of docs/benchmarks.md about tokens.
export function tokensText({ servers, tools, rows }) {
  const all = rows['everything listed'].tokens;
  const lines = Object.entries(rows).map(
    ([what, { tools: listed, active, tokens }]) =>
      `| ${what} | ${listed} | ${active} | ${tokens.toLocaleString('en-US')} | ${((tokens / all) * 100).toFixed(tokens === all ? 0 : 2)} % |`,
  );
  return `What a model is shown of ${tools.toLocaleString('en-US')} tools of ${servers} real MCP servers (name, description, schema of the arguments),
counted with o200k_base on the lists that the built program gave to a real client; our own file and shell tools are switched
off. Schemas that a search returns are extra, once each. How many tasks a model completes with either list is not measured.

| | tools listed | of servers | tokens | |
|---|---|---|---|---|
${lines.join('\n')}`;
}
