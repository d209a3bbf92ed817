// docs/reference/dependencies.md: the dependency table in readable form.
import { createRequire } from 'node:module';

const { tables } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');

export async function outputs() {
  return [{ path: 'docs/reference/dependencies.md', text: page(tables) }];
}

function page({ modules, testImports, openModules, entryFiles, rules }) {
  const rows = Object.entries(modules).map(
    ([module, imported]) => `| ${code(module)} | ${importList(imported)} |`,
  );
  const saidOnce = [...new Map(rules.map((rule) => [rule.name, rule.says]))];
  return [
    '<!-- Generated from .dependency-cruiser.cjs by `npm run generate`. Do not edit. -->',
    '# Dependencies between modules',
    '',
    'Each folder of `src/` is a module. `npm run check` rejects every import that is not in this table, and there is no',
    'ignore list. `x/*` means that each folder of `x` is a module that never imports its siblings.',
    '',
    '| module | may import |',
    '|---|---|',
    ...rows,
    '',
    `A unit test beside its source may also import ${testImports.map(code).join(', ')}.`,
    '',
    '## Further rules',
    '',
    '| rule | meaning |',
    '|---|---|',
    ...saidOnce.map(([name, says]) => `| ${code(name)} | ${says} |`),
    '',
    '## Entry points',
    '',
    `A module is imported through an \`index.ts\`. Files of ${openModules.map(code).join(', ')} are imported one by one, and an`,
    '`import()` names the file it loads. These files are also imported directly, because through the index the program would load',
    'the rest of their module when it starts:',
    '',
    ...entryFiles.map((file) => `- ${code(`src/${file}`)}`),
    '',
    'The check cannot see a computed `import()`, so the linter rejects it.',
    '',
  ].join('\n');
}

function importList(imported) {
  return imported.map(importName).join(', ') || '–';
}

function importName(name) {
  if (name === 'every module') return 'every module except `cli`';
  const [module, part] = name.split(':');
  return part ? `the ${part} of ${code(module)}` : code(module);
}

function code(text) {
  return `\`${text}\``;
}
