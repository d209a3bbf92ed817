import { isRecord } from '../lib/is-record.js';
import { detached, JsonText } from '../lib/json-text.js';

/** More than real clients send. A session keeps both texts as long as it lasts, so longer ones are shortened. */
const maxLength = 16 * 1024;
const maxName = 200;

/** What to keep of `clientInfo`: all of it, or the name and the version. */
export function keptInfo(text: string): JsonText {
  if (text.length <= maxLength) return new JsonText(detached(text));
  const { name, version } = membersIn(text);
  return JsonText.from({ name: shortText(name), version: shortText(version) });
}

/** What to keep of the capabilities: all of them, or which questions the client can answer. */
export function keptCapabilities(text: string): JsonText {
  if (text.length <= maxLength) return new JsonText(detached(text));
  const members = membersIn(text);
  const declared = ['elicitation', 'sampling', 'roots'].filter((name) => isRecord(members[name]));
  return JsonText.from(Object.fromEntries(declared.map((name) => [name, {}])));
}

function membersIn(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' ? detached(value.slice(0, maxName)) : undefined;
}
