import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openPlace, type Place } from './gate.js';
import { type Ran, runGate } from './run-program.js';

/** Where the profiles of a place stand. */
export function profilesFile(place: Place): string {
  return join(dirname(place.configFile), '.tidegate', 'profiles.yaml');
}

/** JSON is YAML. A text is written as it is. */
export function writeProfiles(place: Place, profiles: unknown): void {
  const file = profilesFile(place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof profiles === 'string' ? profiles : JSON.stringify(profiles, undefined, 2));
}

/** A place with profiles of its own, all of it trusted. */
export function openAccessPlace(config: unknown, profiles?: unknown): Place {
  const place = openPlace(config, { trusted: false });
  if (profiles !== undefined) writeProfiles(place, profiles);
  trustAll(place);
  return place;
}

/** The configuration and what stands beside it. */
export function trustAll(place: Place): void {
  const { status, stderr } = place.run('trust', '--yes');
  if (status !== 0) throw new Error(`trust failed: ${stderr}`);
}

/** Runs a command to its end; a failure is one of the test. */
export async function runOk(place: Place, ...args: readonly string[]): Promise<Ran> {
  const ran = await runGate(place, args);
  if (ran.status !== 0) throw new Error(`tidegate ${args.join(' ')}: ${String(ran.status)} ${ran.stderr}`);
  return ran;
}

/** The same, for what it says with `--json`. */
export async function runJson<T = Readonly<Record<string, unknown>>>(
  place: Place,
  ...args: readonly string[]
): Promise<T> {
  return JSON.parse((await runOk(place, ...args, '--json')).stdout) as T;
}

export interface MadeToken {
  readonly secret: string;
  readonly id: string;
}

/** A token, made as an operator makes one: `makeToken(place, '--as', 'agent:alice')`. */
export async function makeToken(place: Place, ...args: readonly string[]): Promise<MadeToken> {
  return made(await runJson(place, 'token', 'create', ...args));
}

export async function attenuateToken(place: Place, ...args: readonly string[]): Promise<MadeToken> {
  return made(await runJson(place, 'token', 'attenuate', ...args));
}

function made(answer: Readonly<Record<string, unknown>>): MadeToken {
  const { secret, token } = answer as { readonly secret: string; readonly token: { readonly id: string } };
  return { secret, id: token.id };
}
