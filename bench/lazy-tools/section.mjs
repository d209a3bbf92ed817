// The section of docs/benchmarks.md about tokens.
export function tokensText({ servers, tools, rows }) {
  const all = rows['everything listed'].tokens;
  const lines = Object.entries(rows).map(
    ([what, { tools: listed, active, tokens }]) =>
      `| ${what} | ${listed} | ${active} | ${tokens.toLocaleString('en-US')} | ${((tokens / all) * 100).toFixed(tokens === all ? 0 : 2)} % |`,
  );
  return `Tokens that a model sees for ${tools.toLocaleString('en-US')} tools from ${servers} real MCP servers (name, description, input schema), counted with
o200k_base on the lists that the built program returned to a real client. The built-in file and shell tools are disabled.
Schemas in search results add to this, once each. This doesn't measure how many tasks a model completes with either list.

| | tools listed | of servers | tokens | |
|---|---|---|---|---|
${lines.join('\n')}`;
}
