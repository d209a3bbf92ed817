import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const pattern = /^t[0-9a-f]{8}$/;

/** The gateway's server name for an agent. Random, so that no file in a checkout can refer to it. */
export function newServerName(): string {
  return `t${randomBytes(4).toString('hex')}`;
}

/**
 * One name for all launches of a run, also after a resume: it is part of the tool names in conversations and model
 * caches. Stored in the run folder, which agents cannot read.
 */
export function serverNameOfRun(folder: string): string {
  const file = join(folder, 'agents', 'server-name');
  const known = readName(file);
  if (known !== undefined && pattern.test(known)) return known;
  const name = newServerName();
  mkdirSync(join(folder, 'agents'), { recursive: true, mode: 0o700 });
  writeFileSync(file, name, { mode: 0o600 });
  return name;
}

function readName(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The first launch of this run.
    return undefined;
  }
}
