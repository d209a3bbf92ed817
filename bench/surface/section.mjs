// The part of docs/benchmarks.md about tokens. It has a run of its own; `npm run bench` leaves it as it is.
const begins = '<!-- Written by `node bench/surface/run.mjs --page`. -->';
const ends = '<!-- The end of the tokens. -->';

/** The part as it stands in a page, with its marks; nothing where there is none. */
export function tokensSection(page) {
  const from = page.indexOf(begins);
  const to = page.indexOf(ends);
  return from === -1 || to === -1
    ? `${begins}\n## Tokens\n\nNot measured yet.\n${ends}`
    : page.slice(from, to + ends.length);
}

export function withTokensSection(page, text) {
  const section = `${begins}\n${text}\n${ends}`;
  const known = tokensSection(page);
  if (page.includes(known)) return page.replace(known, () => section);
  return page.replace('\n## How to repeat it', () => `\n${section}\n\n## How to repeat it`);
}

export function tokensText({ servers, tools, rows }) {
  const all = rows['everything listed'].tokens;
  const lines = Object.entries(rows).map(
    ([what, { tools: listed, active, tokens }]) =>
      `| ${what} | ${listed} | ${active} | ${tokens.toLocaleString('en-US')} | ${((tokens / all) * 100).toFixed(tokens === all ? 0 : 2)} % |`,
  );
  return `## Tokens

What a model is shown of ${tools.toLocaleString('en-US')} tools of ${servers} real MCP servers (name, description, schema of the arguments),
counted with o200k_base on the lists that the built program gave to a real client; our own file and shell tools are switched
off. Schemas that a search returns are extra, once each. How many tasks a model completes with either list is not measured.

| | tools listed | of servers | tokens | |
|---|---|---|---|---|
${lines.join('\n')}`;
}
