// schema/workflow.schema.json and docs/reference/workflow.md, from the tables in src/workflow/fields.
import { loadTs } from '../load-ts.mjs';

export async function outputs() {
  const tables = {
    ...(await loadTs('src/workflow/fields/tables.ts')),
    ...(await loadTs('src/workflow/fields/option-fields.ts')),
  };
  const { workflowJsonSchema } = await loadTs('src/workflow/fields/json-schema.ts');
  const { workflowCodes, exitOfCode } = await loadTs('src/workflow/codes.ts');
  const { properties } = await loadTs('src/workflow/template/properties.ts');
  return [
    { path: 'schema/workflow.schema.json', text: `${JSON.stringify(workflowJsonSchema(), undefined, 2)}\n` },
    { path: 'docs/reference/workflow.md', text: page(tables, workflowCodes, exitOfCode, properties) },
  ];
}

const kinds = {
  command: '`type: step` or `type: command`',
  agent: '`type: agent`, or `type: step` with these keys under `agent:`',
  parallel: '`type: parallel`',
  for_each: '`type: for_each`',
  while: '`type: while`',
  operation: '`type: operation`',
  call_workflow: '`type: call_workflow`',
  terminal: '`type: terminal`',
  plugin: '`type: <plugin>.<type>`',
};

function page(tables, codes, exitOfCode, properties) {
  const { states, ...top } = tables.workflowFields;
  return [
    '<!-- Generated from src/workflow by `npm run generate`. Do not edit. -->',
    '# Workflow files',
    '',
    'To learn how to write and run them, see [the guide](../guides/workflows.md). Keys marked * are required. Unknown keys are reported with',
    'the most similar known key; inside `mcp_proxy` and `tidegate` they are errors, elsewhere warnings.',
    '',
    'For completion in your editor, begin the file with',
    '`# yaml-language-server: $schema=node_modules/tidegate/schema/workflow.schema.json`.',
    '',
    '## The file',
    '',
    ...keys({ ...top, states }),
    '### inputs[]',
    '',
    ...keys(tables.inputFields),
    '## Every state',
    '',
    ...keys(tables.commonFields),
    '## Kinds of states',
    '',
    ...Object.entries(kinds).flatMap(([kind, title]) => [
      `### ${title}`,
      '',
      ...keys(tables.stepFields[kind]),
    ]),
    ...Object.entries(tables.optionFields).flatMap(([provider, fields]) => [
      `### options of \`${provider}\``,
      '',
      ...keys(fields),
    ]),
    '## Templates',
    '',
    'A file in `templates/`, used with `use_template`. In its strings, `{{.parameters.name}}` is the value passed by the state; in',
    'commands, write `{{escape .parameters.name}}`. A parameter may itself contain braces, such as `{{.inputs.folder}}`.',
    '',
    ...keys(tables.templateFields),
    '## Names in strings and conditions',
    '',
    '`inputs.<name>` and `env.<NAME>` are the inputs and environment variables of the run. Write a leading dot in strings',
    '(`{{.states.build.Output}}`), and none in conditions (`states.build.ExitCode == 0`). `loop` exists inside loops, `error` in `hooks.workflow_error`.',
    '',
    '| name | meaning |',
    '|---|---|',
    ...Object.entries(properties).flatMap(([namespace, names]) =>
      Object.entries(names).map(
        ([name, about]) =>
          `| \`${namespace === 'states' ? 'states.<name>' : namespace}.${name}\` | ${cell(about)} |`,
      ),
    ),
    '',
    '## Codes',
    '',
    'A code is `CATEGORY.SUBCATEGORY.SPECIFIC`. If a file has errors, `validate` and `run` exit with status 2; a run that fails',
    'exits with the status of its category, or with `on_failure.status`.',
    '',
    '| code | severity | meaning | remedy | exit status |',
    '|---|---|---|---|---|',
    ...Object.entries(codes).map(
      ([code, { severity, meaning, remedy }]) =>
        `| \`${code}\` | ${severity} | ${cell(meaning)} | ${cell(remedy)} | ${exitOfCode(code)} |`,
    ),
    '',
  ].join('\n');
}

function keys(fields) {
  return ['| key | value | meaning |', '|---|---|---|', ...rows(fields, ''), ''];
}

function rows(fields, prefix) {
  return Object.entries(fields).flatMap(([key, field]) => {
    const name = `${prefix}${key}`;
    const row = `| \`${name}\`${field.required ? ' *' : ''} | ${cell(valueOf(field))} | ${cell(field.description)} |`;
    return [row, ...inner(field, name)];
  });
}

function inner(field, name) {
  if (field.kind === 'record') return rows(field.fields, `${name}.`);
  if (field.kind === 'list') return inner(field.of, `${name}[]`);
  if (field.kind === 'either') return [field.first, field.second].flatMap((part) => inner(part, name));
  return [];
}

function valueOf(field) {
  if (field.kind === 'choice')
    return field.choices
      .filter(Boolean)
      .map((value) => `\`${value}\``)
      .join(', ');
  if (field.kind === 'text') {
    return (
      {
        expression: 'expression',
        state: 'name of a state',
        command: 'text with {{ }}',
        template: 'text with {{ }}',
      }[field.holds] ?? 'text'
    );
  }
  if (field.kind === 'either') return `${valueOf(field.first)}, or ${valueOf(field.second)}`;
  if (field.kind === 'list') return `list of ${valueOf(field.of)}`;
  if (field.kind === 'map') return `mapping to ${valueOf(field.of)}`;
  return {
    boolean: 'true or false',
    record: 'mapping',
    integer: 'whole number',
    number: 'number',
    duration: 'time',
    size: 'size',
    any: 'anything',
  }[field.kind];
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}
