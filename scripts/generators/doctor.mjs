// docs/reference/doctor.md: every check of `tidegate doctor`, from the list it runs; and the table of platforms in
// docs/security.md, from the data of the platform check.
import { readFile } from 'node:fs/promises';
import { loadTs } from '../load-ts.mjs';

const root = new URL('../..', import.meta.url);
const security = 'docs/security.md';
const marked = /(<!-- platforms: generated[^\n]*-->\n)[\s\S]*?(<!-- end of platforms -->)/;

export async function outputs() {
  const { checks } = await loadTs('src/features/doctor/checks.ts');
  const { checkGroups } = await loadTs('src/features/doctor/check.ts');
  const { platformDefences, platforms } = await loadTs('src/features/doctor/platform-defences.ts');
  const text = await readFile(new URL(security, root), 'utf8');
  if (!marked.test(text)) throw new Error(`${security} has no markers for the table of platforms`);
  const names = Object.keys(platforms);
  const rows = platformDefences.map(({ what, on }) => [what, ...names.map((name) => on[name])]);
  const table = [...tableLines(['', ...Object.values(platforms)], rows), ''].join('\n');
  return [
    { path: 'docs/reference/doctor.md', text: page(checks, checkGroups) },
    { path: security, text: text.replace(marked, (_all, head, end) => `${head}\n${table}\n${end}`) },
  ];
}

function page(checks, groups) {
  const parts = Object.entries(groups).flatMap(([group, title]) => [
    `## ${title}`,
    '',
    ...checks.filter((check) => check.group === group).flatMap(section),
  ]);
  return [
    '<!-- Generated from src/features/doctor by `npm run generate`. Do not edit. -->',
    '# Checks of tidegate doctor',
    '',
    '`tidegate doctor` runs every check below and exits with status 4 if one of them fails. `--only` takes the names of checks',
    'and groups (`tidegate doctor --only servers,home`), `--fix` does what each check lists, and `--json` prints the result as JSON.',
    '',
    '| state | meaning |',
    '|---|---|',
    '| ok | nothing to do |',
    '| note | nothing is wrong, but worth knowing |',
    '| warn | it works, but less well or less safely than it could |',
    '| FAIL | something does not work |',
    '| skip | it could not be checked, is disabled, or there is nothing to check |',
    '',
    ...parts,
  ].join('\n');
}

function section({ id, title, why, remedy, fixes }) {
  const fixed = fixes === undefined ? [] : [`- **\`--fix\`:** ${fixes}.`];
  return [`### ${title} (\`${id}\`)`, '', `${why}`, '', `- **Do:** ${remedy}`, ...fixed, ''];
}

function tableLines(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head).replace('|  |', '| |'), `|${head.map(() => '---|').join('')}`, ...rows.map(line)];
}
