import { AgentFailure } from './agent.js';

/** What an agent may do with its own tools, if it keeps them. A headless agent cannot ask. */
export const nativeLevels = ['read', 'edit', 'full'] as const;
export type NativeLevel = (typeof nativeLevels)[number];

export interface NativePermissions {
  readonly level: NativeLevel;
  /** Tools allowed in addition to the level. */
  readonly allowed: readonly AllowedTool[];
}

/** An entry of `allowed_tools`: `Write`, or `Bash(git *)`. */
export interface AllowedTool {
  readonly name: string;
  readonly only?: string;
}

/** The same entry, translated for one CLI. `command`: which shell commands. */
export interface Grant {
  readonly name: string;
  readonly command?: string;
}

type Options = Readonly<Record<string, unknown>>;

export function nativePermissions(options: Options): NativePermissions {
  const level = nativeLevel(options);
  if (level !== undefined) return { level, allowed: allowedTools(options['allowed_tools']) };
  throw new AgentFailure(
    'USER.INPUT.VALIDATION_FAILED',
    `Invalid options.native_permissions: ${JSON.stringify(options['native_permissions'])}. Allowed: ${nativeLevels.join(', ')}.`,
  );
}

/**
 * Default is `edit`, because most steps work on files; with a list of tools it is `read`, because the list is complete.
 * Undefined: unknown level.
 */
export function nativeLevel(options: Options): NativeLevel | undefined {
  const { native_permissions: given, dangerously_skip_permissions: isFull, allowed_tools: listed } = options;
  if (given !== undefined) return nativeLevels.find((one) => one === given);
  if (isFull === true) return 'full';
  return listText(listed).trim() === '' ? 'edit' : 'read';
}

function listText(listed: unknown): string {
  return Array.isArray(listed) ? listed.join(',') : typeof listed === 'string' ? listed : '';
}

const entry = /([\w.*-]+)(?:\(([^()]+)\))?/;
const entries = new RegExp(`^[\\s,]*(?:${entry.source}(?:[\\s,]+|$))*$`);

/** Parses `Write,Bash(git *)`, or the same as a list. Throws if an entry is ambiguous. */
export function allowedTools(listed: unknown): readonly AllowedTool[] {
  const text = listText(listed);
  if (!entries.test(text))
    throw new AgentFailure(
      'USER.INPUT.VALIDATION_FAILED',
      `Invalid options.allowed_tools: ${JSON.stringify(text)}. Use names such as Write or Bash(git *).`,
    );
  return [...text.matchAll(new RegExp(entry, 'g'))].map(([, name = '', only]) => ({
    name,
    ...(only !== undefined && { only }),
  }));
}

export function writtenTool({ name, only }: AllowedTool): string {
  return only === undefined ? name : `${name}(${only})`;
}

/** Translates entries for a CLI with other tool names than Claude Code. Undefined: no equivalent. */
export function createGrants(parts: {
  /** Its tool names, by those of Claude Code. */
  readonly names: Readonly<Record<string, string>>;
  readonly shell: string;
  /** Translates a command pattern. Undefined: not supported. */
  readonly command: (only: string) => string | undefined;
}): (tool: AllowedTool) => Grant | undefined {
  const { names, shell } = parts;
  const known = Object.values(names);
  return ({ name, only }) => {
    const own = Object.hasOwn(names, name) ? names[name] : known.find((one) => one === name);
    if (own === undefined || only === undefined) return own === undefined ? undefined : { name: own };
    const command = own === shell ? parts.command(only) : undefined;
    return command === undefined ? undefined : { name: own, command };
  };
}
