import { statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { findProgram } from '../../lib/find-program.js';
import {
  type ClientFile,
  type FoundServer,
  type TidegateEntry,
  tidegateEntryOf,
} from '../../clients/index.js';
import { type Environment, findConfig, operatorConfig } from '../../config/index.js';
import { stateNames } from './gateway-start.js';
import { isPassing } from './install-command.js';

/** Why a gateway entry in a client file cannot start: what is missing. */
export interface GateTrouble {
  /** `absent`: a program not found on PATH. The others are given by path. */
  readonly what: 'program' | 'script' | 'config' | 'absent';
  readonly path: string;
}

/** A gateway entry in a client file. */
export interface GateInFile {
  readonly file: ClientFile;
  readonly found: FoundServer;
}

/** Checks files and starts nothing. Paths that only the client can resolve are not checked. */
export function gateTrouble(gate: GateInFile, env: Environment): GateTrouble | undefined {
  const entry = tidegateEntryOf(gate.found.entry);
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
    program: `${path} does not exist or is not a program`,
    script: `${path} does not exist`,
    config: `its configuration file ${path} does not exist`,
    absent: `${path} is not on PATH`,
  } as const;
  return words[what];
}

/** What to do about an entry that import does not rewrite. */
export function byHand({ file }: GateInFile, path: string): string {
  return `fix ${path} in ${file.path} by hand`;
}

/** Describes a gateway entry in a client file. */
export function gateWords(gate: GateInFile, env: Environment, isPointing: boolean): string {
  const trouble = gate.found.server?.isEnabled === false ? undefined : gateTrouble(gate, env);
  if (trouble === undefined) return 'already starts Tidegate';
  const said = `Tidegate entry that cannot start: ${troubleWords(trouble)}`;
  if (trouble.what === 'absent') return said;
  if (isRenewable(gate, env))
    return `${said}; ${isPointing ? 'a working entry replaces it' : '--point replaces it'}`;
  return `${said}; ${byHand(gate, trouble.path)}, because it has extra arguments or variables`;
}

/** The configuration the gateway would read; undefined if it depends on the client's folder. */
export function gateConfig(gate: GateInFile, env: Environment): string | undefined {
  const entry = tidegateEntryOf(gate.found.entry);
  if (entry === undefined || entry.form === 'behind') return undefined;
  const base = baseOf(gate, entry);
  if (entry.config !== undefined) return pathOf(entry.config, base);
  return base === undefined ? undefined : (findConfig(base) ?? operatorConfig(env));
}

/**
 * Whether `--point` can repair the entry. Only entries that Tidegate wrote with paths are rewritten; a missing program
 * on PATH needs an installation. Entries with arguments or variables that the user added (`--as agent:alice`), or that
 * the user disabled, are left alone: rewriting them could widen access.
 */
export function isRenewable(gate: GateInFile, env: Environment): boolean {
  const entry = tidegateEntryOf(gate.found.entry);
  const trouble = gateTrouble(gate, env);
  if (entry === undefined || trouble === undefined || trouble.what === 'absent') return false;
  const isOurs = entry.more.length === 0 && Object.keys(entry.env).every((name) => ownVariables.has(name));
  return isOurs && gate.found.server?.isEnabled !== false;
}

const ownVariables: ReadonlySet<string> = new Set(stateNames);

function programTrouble(
  { command, env: own }: TidegateEntry,
  base: string | undefined,
  env: Environment,
): GateTrouble | undefined {
  const isPath = /[\\/]/.test(command);
  const program = isPath ? pathOf(command, base) : command;
  if (program === undefined || isReference(program) || isReference(own['PATH'] ?? '')) return undefined;
  if (findProgram(program, lasting({ ...env, ...own }), base ?? '/') !== undefined) return undefined;
  return { what: isPath ? 'program' : 'absent', path: program };
}

/** Drops folders that npx added to PATH only for this command: clients do not have them. */
function lasting(env: Environment): Environment {
  const folders = env['PATH']?.split(delimiter).filter((folder) => !isPassing(folder));
  return folders === undefined ? env : { ...env, PATH: folders.join(delimiter) };
}

/** The folder in which the client starts the gateway. */
function baseOf({ file, found }: GateInFile, { cwd }: TidegateEntry): string | undefined {
  const folder = found.section.folder ?? file.folder;
  return cwd === undefined ? folder : pathOf(cwd, folder);
}

function pathOf(word: string | undefined, base: string | undefined): string | undefined {
  if (word === undefined || isReference(word)) return undefined;
  if (isAbsolute(word)) return word;
  return base === undefined ? undefined : resolve(base, word);
}

/** `$NAME`, `${NAME}`, `{env:NAME}`, `%NAME%`, `~`: the syntax differs by client. */
function isReference(word: string): boolean {
  return /\$|\{|%|^~/.test(word);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // An inaccessible file cannot be started either.
    return false;
  }
}
