import { statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { findProgram } from '../../agents/index.js';
import { type ClientFile, type FoundServer, type GateEntry, gateOf } from '../../clients/index.js';
import { type Environment, findConfig, operatorConfig } from '../../config/index.js';
import { stateNames } from './gate-start.js';
import { isPassing } from './install-command.js';

/** Why a gate that stands in a file of a client cannot start: what is gone. */
export interface GateTrouble {
  /** `absent`: a program that is looked for on PATH. The others are named by their paths. */
  readonly what: 'program' | 'script' | 'config' | 'absent';
  readonly path: string;
}

/** A gate in a file of a client. */
export interface GateInFile {
  readonly file: ClientFile;
  readonly found: FoundServer;
}

/** Looks at files only, and starts nothing. What only the client can resolve is not judged. */
export function gateTrouble(gate: GateInFile, env: Environment): GateTrouble | undefined {
  const entry = gateOf(gate.found.entry);
  if (entry === undefined || entry.form === 'behind') return undefined;
  const base = baseOf(gate, entry);
  const program = programTrouble(entry, base, env);
  if (program !== undefined) return program;
  const [script, config] = [entry.script, entry.config].map((word) => pathOf(word, base));
  if (script !== undefined && !isFile(script)) return { what: 'script', path: script };
  if (config !== undefined && !isFile(config)) return { what: 'config', path: config };
  return undefined;
}

export function troubleWords({ what, path }: GateTrouble): string {
  const words = {
    program: `${path} is gone, or no program`,
    script: `${path} is gone`,
    config: `its configuration ${path} is gone`,
    absent: `there is no ${path} on PATH`,
  } as const;
  return words[what];
}

/** What to do about a gate that is not written anew. */
export function byHand({ file }: GateInFile, path: string): string {
  return `correct ${path} in ${file.path} by hand`;
}

/** What a person is told about a gate that stands in a file of a client. */
export function gateWords(gate: GateInFile, env: Environment, isPointing: boolean): string {
  const trouble = gate.found.server?.isEnabled === false ? undefined : gateTrouble(gate, env);
  if (trouble === undefined) return 'it is a gate of ours';
  const said = `it is a gate of ours that cannot start: ${troubleWords(trouble)}`;
  if (trouble.what === 'absent') return said;
  if (isRenewable(gate, env))
    return `${said}; ${isPointing ? 'one that works takes its place' : '--point writes it anew'}`;
  return `${said}; ${byHand(gate, trouble.path)}, because it has words or variables of its own`;
}

/** The configuration that the gate would read; undefined where that depends on where the client is. */
export function gateConfig(gate: GateInFile, env: Environment): string | undefined {
  const entry = gateOf(gate.found.entry);
  if (entry === undefined || entry.form === 'behind') return undefined;
  const base = baseOf(gate, entry);
  if (entry.config !== undefined) return pathOf(entry.config, base);
  return base === undefined ? undefined : (findConfig(base) ?? operatorConfig(env));
}

/**
 * Whether pointing anew puts it right: what we wrote by its path is written anew. A name is put right by installing. What
 * somebody added (`--as agent:alice`, variables) or switched off is theirs: without it the gate would give more than before.
 */
export function isRenewable(gate: GateInFile, env: Environment): boolean {
  const entry = gateOf(gate.found.entry);
  const trouble = gateTrouble(gate, env);
  if (entry === undefined || trouble === undefined || trouble.what === 'absent') return false;
  const isOurs = entry.more.length === 0 && Object.keys(entry.env).every((name) => ownVariables.has(name));
  return isOurs && gate.found.server?.isEnabled !== false;
}

const ownVariables: ReadonlySet<string> = new Set(stateNames);

function programTrouble(
  { command, env: own }: GateEntry,
  base: string | undefined,
  env: Environment,
): GateTrouble | undefined {
  const isPath = /[\\/]/.test(command);
  const program = isPath ? pathOf(command, base) : command;
  if (program === undefined || isReference(program) || isReference(own['PATH'] ?? '')) return undefined;
  if (findProgram(program, lasting({ ...env, ...own }), base ?? '/') !== undefined) return undefined;
  return { what: isPath ? 'program' : 'absent', path: program };
}

/** What npx put on PATH for this one command, no client finds. */
function lasting(env: Environment): Environment {
  const folders = env['PATH']?.split(delimiter).filter((folder) => !isPassing(folder));
  return folders === undefined ? env : { ...env, PATH: folders.join(delimiter) };
}

/** The folder that the client starts it in. */
function baseOf({ file, found }: GateInFile, { cwd }: GateEntry): string | undefined {
  const folder = found.section.folder ?? file.folder;
  return cwd === undefined ? folder : pathOf(cwd, folder);
}

function pathOf(word: string | undefined, base: string | undefined): string | undefined {
  if (word === undefined || isReference(word)) return undefined;
  if (isAbsolute(word)) return word;
  return base === undefined ? undefined : resolve(base, word);
}

/** `$NAME`, `${NAME}`, `{env:NAME}`, `%NAME%`, `~`: each client has its own. */
function isReference(word: string): boolean {
  return /\$|\{|%|^~/.test(word);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // Whoever may not look at it cannot start it either.
    return false;
  }
}
