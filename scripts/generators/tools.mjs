// The built-in tools, found by file name: the catalog for the program, with schemas as data so that no schema library is
// loaded at startup, and a page and a snapshot for each tool.
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTs } from '../load-ts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = 'src/tools';
const header = '// Generated from src/tools by `npm run generate` and by every build. Do not edit.';

export async function outputs() {
  const tools = await findTools();
  // The same descriptions that `tidegate tools show` prints.
  const { mermaidLines } = await loadTs('src/cli/terminal/mermaid.ts');
  const { tierDescriptions } = await loadTs('src/cli/commands/tools/tier-descriptions.ts');
  return [
    catalogFile(tools),
    { path: 'docs/reference/tools/README.md', text: indexPage(tools, tierDescriptions) },
    ...tools.map(({ card }) => ({
      path: `docs/reference/tools/${card.name}.md`,
      text: toolPage(card, { mermaidLines, tierDescriptions }),
    })),
    ...tools.map(({ card }) => ({
      path: `test/pins/tools/${card.name}.json`,
      text: `${JSON.stringify(card, null, 2)}\n`,
    })),
  ];
}

/** Only the catalog, because a build needs no docs. */
export async function catalog() {
  return catalogFile(await findTools());
}

async function findTools() {
  const names = (await readdir(join(root, folder), { recursive: true })).filter((name) =>
    name.endsWith('.tool.ts'),
  );
  const { cardOf } = await loadTs('src/core/tool-card.ts');
  const tools = [];
  for (const name of names.map((path) => path.replaceAll('\\', '/')).sort()) {
    const file = `${folder}/${name}`;
    const { default: module } = await loadTs(file);
    if (module === undefined) throw new Error(`${file} has no default export`);
    const card = cardOf(module);
    refuseOtherName(file, card.name);
    tools.push({ file, card });
  }
  tools.sort((a, b) => (a.card.name < b.card.name ? -1 : 1));
  const twin = tools.find(({ card }, at) => tools[at + 1]?.card.name === card.name);
  if (twin) throw new Error(`two files define the tool ${twin.card.name}: one of them is ${twin.file}`);
  return tools;
}

/** A tool must be easy to find: its file has the same name. */
function refuseOtherName(file, name) {
  const plain = (text) => text.replaceAll(/[-_]/g, '').toLowerCase();
  if (plain(basename(file, '.tool.ts')) !== plain(name)) throw new Error(`${file} defines the tool ${name}`);
}

function catalogFile(tools) {
  const entries = tools.map(({ file, card }) => {
    const path = file.replace(/^src\//, '../').replace(/\.ts$/, '.js');
    return `  {\n    card: ${JSON.stringify(card)},\n    load: async () => (await import('${path}')).default,\n  },`;
  });
  const text = [
    header,
    "import type { LocalTool } from '../providers/local/index.js';",
    '',
    'export const builtinTools: readonly LocalTool[] = [',
    ...entries,
    '];',
    '',
  ].join('\n');
  return { path: 'src/workspace/builtin-tools.generated.ts', text };
}

function indexPage(tools, tiers) {
  const groups = Object.entries(tiers).flatMap(([tier, words]) => {
    const members = tools.filter(({ card }) => String(card.tier) === tier);
    if (members.length === 0) return [];
    const rows = members.map(
      ({ card }) => `| [\`${card.name}\`](${card.name}.md) | ${card.effect} | ${firstSentence(card)} |`,
    );
    return [
      `## Tier ${tier}: ${words}`,
      '',
      '| tool | effect | what it does |',
      '|---|---|---|',
      ...rows,
      '',
    ];
  });
  return [comment, '# Built-in tools', '', intro, '', ...groups].join('\n');
}

const comment = '<!-- Generated from src/tools by `npm run generate`. Do not edit. -->';
const intro =
  'Each tool is one file, and everything here is generated from it. `tidegate tools show <name>` prints the same.';

function firstSentence({ description }) {
  return cell(description.split('\n')[0]);
}

function toolPage(card, { mermaidLines, tierDescriptions: tiers }) {
  const { name, title, description, effect, hints, needs, optional, tier, aliases } = card;
  const facts = [
    ['effect', effect],
    ['tier', `${tier}, ${tiers[tier]}`],
    ...(card.reach === 'workflow' ? [['called by', 'operation steps of workflows only']] : []),
    ['needs', needs.join(', ') || 'nothing'],
    ...(optional.length > 0 ? [['uses if available', optional.join(', ')]] : []),
    [
      'hints',
      Object.entries(hints)
        .map(([hint, value]) => `${hint}: ${value ? 'yes' : 'no'}`)
        .join(', '),
    ],
  ];
  return [
    comment,
    `# ${name}`,
    '',
    `**${title}.** ${description}`,
    '',
    '| | |',
    '|---|---|',
    ...facts.map(([word, value]) => `| ${word} | ${value} |`),
    '',
    '## Arguments',
    '',
    ...fieldTable(card.inputSchema, aliases),
    ...(card.outputSchema ? ['## Result', '', ...fieldTable(card.outputSchema, {})] : []),
    ...(card.graph ? ['## Graph', '', '```mermaid', ...mermaidLines(card.graph), '```', ''] : []),
  ].join('\n');
}

function fieldTable({ properties, anyOf, required = anyOf?.[0]?.required ?? [] }, aliases) {
  const fields = Object.entries(properties).filter(([field]) => field !== 'error');
  const rows = fields.map(([field, schema]) => {
    const also = aliases[field] ? ` Aliases: ${aliases[field].map((one) => `\`${one}\``).join(', ')}.` : '';
    return `| \`${field}\` | ${typeOf(schema)} | ${required.includes(field) ? 'yes' : ''} | ${cell(schema.description)}${also} |`;
  });
  if (rows.length === 0) return ['None.', ''];
  return ['| name | type | required | meaning |', '|---|---|---|---|', ...rows, ''];
}

function typeOf({ type, enum: values, items, anyOf, const: constant }) {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (constant !== undefined) return `\`${constant}\``;
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return `array of ${items ? typeOf(items) : 'anything'}`;
  return String(type ?? 'any');
}

function cell(text) {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}
