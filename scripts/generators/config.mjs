// schema/*.schema.json, docs/reference/config.md, profiles.md and plugins.md: each file has one table in src/config.
import { loadTs } from '../load-ts.mjs';

export async function outputs() {
  const { configJsonSchema, profilesJsonSchema } = await loadTs('src/config/json-schema.ts');
  const { problemCodes } = await loadTs('src/config/codes.ts');
  const { configTable } = await loadTs('src/config/schema.ts');
  const { profilesTable } = await loadTs('src/config/profiles-schema.ts');
  const { pluginsJsonSchema } = await loadTs('src/config/plugins/json-schema.ts');
  const { pluginsTable } = await loadTs('src/config/plugins/plugins-schema.ts');
  const { manifestTable } = await loadTs('src/config/plugins/manifest-schema.ts');
  const { shippedDefault, shippedProfiles } = await loadTs('src/access/profiles/shipped.ts');
  return [
    {
      path: 'schema/profiles.schema.json',
      text: `${JSON.stringify(profilesJsonSchema(), undefined, 2)}\n`,
    },
    {
      path: 'docs/reference/profiles.md',
      text: profilesPage(profilesTable, shippedProfiles, shippedDefault),
    },
    {
      path: 'schema/plugins.schema.json',
      text: `${JSON.stringify(pluginsJsonSchema(), undefined, 2)}\n`,
    },
    { path: 'docs/reference/plugins.md', text: pluginsPage(pluginsTable, manifestTable) },
    { path: 'schema/tidegate.schema.json', text: `${JSON.stringify(configJsonSchema(), undefined, 2)}\n` },
    { path: 'docs/reference/config.md', text: page(configTable, problemCodes) },
  ];
}

function page(table, codes) {
  return [
    '<!-- Generated from src/config by `npm run generate`. Do not edit. -->',
    '# tidegate.yaml',
    '',
    'Tidegate looks for `tidegate.yaml` (or `tidegate.yml`) in the directory in which it is started and in all',
    'parent directories. If there is none, it uses the operator’s own file: `$TIDEGATE_HOME/tidegate.yaml`, or',
    '`tidegate/tidegate.yaml` in the config home (`$XDG_CONFIG_HOME`, `~/.config`, `%APPDATA%`). `--config` selects',
    'another file; JSON files such as `.mcp.json` work too. Servers start only after you trust the content of their',
    'file with `tidegate trust`.',
    '',
    'Unknown keys are errors. A key without a value counts as absent. Relative paths start from the directory of',
    'the file (with links resolved), and `~/` is your home. In every string, `${NAME}` is replaced with an environment',
    'variable, `${NAME:-default}` has a default for when it is unset or empty, and `$${` means a literal `${`;',
    'inside `[ ]` and `{ }`, YAML requires quotes around such a string. Durations are milliseconds, or strings like `500ms`,',
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
    '`tidegate config check` reports all problems at once, each with its line and what to do.',
    '',
    '| code | meaning | what to do |',
    '|---|---|---|',
    ...Object.entries(codes).map(
      ([code, { meaning, remedy }]) => `| \`${code}\` | ${cell(meaning)} | ${cell(remedy)} |`,
    ),
    '',
  ].join('\n');
}

function pluginsPage(list, manifest) {
  return [
    '<!-- Generated from src/config/plugins by `npm run generate`. Do not edit. -->',
    '# plugins.yaml and plugin.yaml',
    '',
    'Plugins are declared in `.tidegate/plugins.yaml` and `.awf/plugins.yaml`, next to `tidegate.yaml` or where Tidegate is started.',
    'Unknown keys are errors; relative paths start from the directory of the file; `${NAME}` is replaced with an environment',
    'variable. An entry is used after you trust it, with the files it names, with `tidegate plugin trust`. See the',
    '[guide](../guides/plugins.md).',
    '',
    'For completion in your editor, begin the file with',
    '`# yaml-language-server: $schema=../node_modules/tidegate/schema/plugins.schema.json`.',
    '',
    '## Keys of plugins.yaml',
    '',
    ...sections(list),
    '## Keys of plugin.yaml',
    '',
    'The manifest in the folder of a plugin. Unknown keys are ignored, and environment variables are not replaced. Either',
    '`awf_version` or `tidegate_version` is required.',
    '',
    ...sections(manifest),
  ].join('\n');
}

function profilesPage(table, shipped, byDefault) {
  return [
    '<!-- Generated from src/config and src/access by `npm run generate`. Do not edit. -->',
    '# profiles.yaml',
    '',
    'A profile is a named set of tools that a principal may see and call. The file is `.tidegate/profiles.yaml`,',
    '`.tidegate/tool_profiles.yaml` or `tool_profiles.yaml` next to `tidegate.yaml`, or the one that `access.profiles`',
    'names; more than one is an error. It applies after you trust its content with `tidegate trust`. If a trusted file',
    'changes or is deleted, Tidegate does not start. Environment variables are not replaced in it.',
    '',
    '## Keys',
    '',
    ...sections(table),
    '## Entries',
    '',
    '| entry | means |',
    '|---|---|',
    '| `Read` | the tool with that name; if a built-in tool has it, only that one |',
    '| `find_*`, `?ead` | all tools whose whole name matches: `*` is any text, `?` one character; case-sensitive |',
    '| `builtin/Read`, `server:github/create_issue` | one tool, by its name at the provider |',
    '| `server:github`, `plugin:x`, `builtin/*` | all tools, prompts and resources from there |',
    '| `tier:2` | all tools of that tier |',
    '| `*` | everything |',
    '| `"!Bash"` | blocks what follows the `!`, even if it is granted elsewhere. YAML needs quotes, as for a leading `*`. |',
    '',
    '## Shipped profiles',
    '',
    `These apply if there is no file; \`${byDefault}\` is the default profile.`,
    '',
    '| profile | extends | adds | for |',
    '|---|---|---|---|',
    ...shipped.map(
      ({ name, extends: parents = [], tools, description }) =>
        `| \`${name}\` | ${names([parents].flat())} | ${names(tools)} | ${description} |`,
    ),
    '',
  ].join('\n');
}

function names(list) {
  return list.length === 0 ? '–' : list.map((name) => `\`${name}\``).join(', ');
}

/** One table of keys per record: the top level first, then each nested record. */
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
      return field.takesOne ? `${takes(field.of)}, or a list` : `list: ${takes(field.of)}`;
    case 'map':
      return `${field.names}s by name`;
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
