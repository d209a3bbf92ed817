// schema/tidegate.schema.json and docs/reference/config.md, both from the one table of src/config/schema.ts.
import { loadTs } from '../load-ts.mjs';

export async function outputs() {
  const { configJsonSchema } = await loadTs('src/config/json-schema.ts');
  const { problemCodes } = await loadTs('src/config/codes.ts');
  const { configTable } = await loadTs('src/config/schema.ts');
  return [
    { path: 'schema/tidegate.schema.json', text: `${JSON.stringify(configJsonSchema(), undefined, 2)}\n` },
    { path: 'docs/reference/config.md', text: page(configTable, problemCodes) },
  ];
}

function page(table, codes) {
  return [
    '<!-- Generated from src/config by `npm run generate`. Do not edit. -->',
    '# tidegate.yaml',
    '',
    'Tidegate looks for `tidegate.yaml` (or `tidegate.yml`) in the directory where it is started and in every',
    'directory above it. If there is none, it takes the operator’s own file: `$TIDEGATE_HOME/tidegate.yaml`, or',
    '`tidegate/tidegate.yaml` in the config home (`$XDG_CONFIG_HOME`, `~/.config`, `%APPDATA%`). `--config` names',
    'another file; JSON files such as `.mcp.json` are read too. Servers of any file start only after',
    '`tidegate trust` recorded its content.',
    '',
    'Unknown keys are errors. A key with nothing after it counts as absent. Relative paths start from the directory',
    'of the file (with links resolved), and `~/` is your home. In every text, `${NAME}` stands for an environment',
    'variable, `${NAME:-default}` gives a default for when it is unset or empty, and `$${` stands for `${` itself;',
    'inside `[ ]` and `{ }`, YAML wants such a text in quotes. Durations are milliseconds, or texts like `500ms`,',
    '`60s`, `2m`, `1h`.',
    '',
    'For completion in your editor, begin the file with',
    '`# yaml-language-server: $schema=node_modules/tidegate/schema/tidegate.schema.json`.',
    '',
    '## Keys',
    '',
    ...sections(table),
    '## Problems',
    '',
    '`tidegate config check` reports all problems at once, each with its place and what to do.',
    '',
    '| code | meaning | what to do |',
    '|---|---|---|',
    ...Object.entries(codes).map(
      ([code, { meaning, remedy }]) => `| \`${code}\` | ${cell(meaning)} | ${cell(remedy)} |`,
    ),
    '',
  ].join('\n');
}

/** One table of keys for each record: the top level first, then each record that a key leads to. */
function sections(record, prefix = '') {
  const keys = Object.entries(record.fields);
  const title = prefix === '' ? [] : [`### \`${prefix}\``, '', record.description, ''];
  return [
    ...title,
    '| key | takes | default | meaning |',
    '|---|---|---|---|',
    ...keys.map(([key, field]) => row(key, field)),
    '',
    ...keys.flatMap(([key, field]) => below(field, prefix === '' ? key : `${prefix}.${key}`)),
  ];
}

function below(field, path) {
  if (field.kind === 'record') return sections(field, path);
  return field.kind === 'map' && field.of.kind === 'record' ? sections(field.of, `${path}.<name>`) : [];
}

function row(key, field) {
  return `| \`${key}\` | ${cell(takes(field))} | ${defaultOf(field)} | ${cell(field.description)} |`;
}

function takes(field) {
  switch (field.kind) {
    case 'text':
      return { url: 'address', database: 'address', any: 'text' }[field.format] ?? field.format;
    case 'integer':
      return `number, ${field.minimum} to ${field.maximum}`;
    case 'boolean':
      return '`true` or `false`';
    case 'choice':
      return field.choices.map((choice) => `\`${choice}\``).join(', ');
    case 'list':
      return `list: ${takes(field.of)}`;
    case 'map':
      return field.of.kind === 'record' ? 'servers by name' : `${field.names}s by name`;
    case 'record':
      return 'keys, see below';
    default:
      return field.kind;
  }
}

function defaultOf(field) {
  if (field.required === true) return 'required';
  if (field.default === undefined || field.kind === 'record' || field.kind === 'map') return '–';
  if (field.kind !== 'list') return `\`${field.default}\``;
  return field.default.length === 0 ? '–' : `\`${JSON.stringify(field.default)}\``;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
