// Sections of docs/benchmarks.md with separate runs. Each run leaves the other sections unchanged.
const ends = '<!-- End of this section. -->';

function createSection(command, title) {
  const begins = `<!-- Written by \`${command}\`. -->`;
  /** The section in a page, including its marks. */
  function of(page) {
    const from = page.indexOf(begins);
    const to = from === -1 ? -1 : page.indexOf(ends, from);
    return to === -1
      ? `${begins}\n## ${title}\n\nNot measured yet.\n${ends}`
      : page.slice(from, to + ends.length);
  }
  return {
    of,
    into(page, text) {
      const section = `${begins}\n## ${title}\n\n${text}\n${ends}`;
      const known = of(page);
      if (page.includes(known)) return page.replace(known, () => section);
      return page.replace('\n## How to repeat it', () => `\n${section}\n\n## How to repeat it`);
    },
  };
}

export const sections = {
  search: createSection('node bench/search/run.mjs --page', 'Glob and Grep'),
  toolSearch: createSection('node bench/toolsearch/run.mjs --page', 'Tool search'),
  tokens: createSection('node bench/lazy-tools/run.mjs --page', 'Tokens'),
  access: createSection('node --expose-gc bench/access/run.mjs --page', 'Rights'),
  agents: createSection('node bench/agents/run.mjs --page', 'Agents'),
  stores: createSection('node bench/stores/run.mjs --page', 'Stores'),
  plugins: createSection('node bench/plugins/run.mjs --page', 'Plugins'),
  shim: createSection('node bench/shim/run.mjs --page', 'From agents to the gateway'),
  workflows: createSection('node bench/workflows/run.mjs --page', 'Workflows'),
};
