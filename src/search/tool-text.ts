import { isRecord } from '../lib/is-record.js';

/** The indexed text of a tool. `id` is unique among all servers. */
export interface ToolText {
  readonly id: string;
  /** The provider's name for it. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  /** Keywords from the operator. Trusted, unlike the rest. */
  readonly searchHints?: readonly string[];
}

export const fields = [
  'server',
  'name',
  'title',
  'lead',
  'description',
  'parameters',
  'parameterTexts',
  'values',
  'hints',
] as const;

export type Field = (typeof fields)[number];
export type FieldTexts = Readonly<Record<Field, readonly string[]>>;

const deepest = 4;
const mostParameters = 400;
const mostValues = 400;
const longestText = 12_000;
const longestSentence = 600;
const sentenceEnd = /[.!?。！？]\s|\n\s*\n|[。！？]/;

/** The texts of a tool by field, with limits that no real tool reaches. */
export function textsOf(server: string, tool: ToolText): FieldTexts {
  const schema = schemaTexts(tool.inputSchema);
  const description = (tool.description ?? '').slice(0, longestText).trim();
  const end = sentenceEnd.exec(description.slice(0, longestSentence))?.index ?? description.length;
  return {
    server: [server],
    name: [tool.name],
    title: tool.title === undefined ? [] : [tool.title.slice(0, longestText)],
    lead: [description.slice(0, end)],
    description: [description.slice(end)],
    parameters: schema.names,
    parameterTexts: schema.texts,
    values: schema.values,
    hints: tool.searchHints ?? [],
  };
}

interface SchemaTexts {
  readonly names: string[];
  readonly texts: string[];
  readonly values: string[];
}

function schemaTexts(schema: unknown): SchemaTexts {
  const found: SchemaTexts = { names: [], texts: [], values: [] };
  collect(schema, 0, found);
  return found;
}

function collect(schema: unknown, depth: number, found: SchemaTexts): void {
  if (!isRecord(schema) || depth > deepest) return;
  const { properties } = schema;
  if (isRecord(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      if (found.names.length >= mostParameters) return;
      found.names.push(name);
      note(property, found);
      collect(property, depth + 1, found);
    }
  }
  collect(schema['items'], depth + 1, found);
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[key];
    if (Array.isArray(branches))
      for (const branch of branches.slice(0, 20)) collect(branch, depth + 1, found);
  }
}

function note(property: unknown, found: SchemaTexts): void {
  if (!isRecord(property)) return;
  const { description } = property;
  if (typeof description === 'string') found.texts.push(description.slice(0, longestText));
  const values = property['enum'];
  if (!Array.isArray(values)) return;
  for (const value of values.slice(0, mostValues - found.values.length)) {
    if (typeof value === 'string') found.values.push(value);
  }
}
