import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import type { KeptCatalogue, UpstreamMemory, UpstreamRecord } from './memory-port.js';
import type { Transport } from './options.js';
import { isRecord } from './peer.js';

const format = 1;

/** Stores one file per server. An unreadable file counts as missing. */
export function openFileMemory(stateDir: string): UpstreamMemory {
  const folder = join(stateDir, 'upstreams');
  const fileOf = (key: string): string => join(folder, `${key}.json`);
  return {
    read(key) {
      try {
        return readRecord(JSON.parse(readFileSync(fileOf(key), 'utf8')));
      } catch {
        // Missing or damaged: the server is listed again.
        return undefined;
      }
    },
    write(key, value) {
      const temporary = join(folder, `.${key}.${randomUUID()}`);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(temporary, JSON.stringify({ format, ...value }), { mode: 0o600 });
        renameSync(temporary, fileOf(key));
      } catch {
        // Fails open: without the file, the next start lists again.
        discard(temporary);
      }
    },
  };
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It does not matter if it cannot be deleted.
  }
}

/** Servers with the same configuration share a file. The key does not reveal secrets of the configuration. */
export function memoryKey(name: string, transport: Transport | string): string {
  return sha256Of(JSON.stringify([format, name, transport]));
}

function readRecord(value: unknown): UpstreamRecord | undefined {
  if (!isRecord(value) || value['format'] !== format || typeof value['at'] !== 'number') return undefined;
  const { protocol, at } = value;
  const catalogue = readKept(value['catalogue']);
  return {
    at,
    ...(catalogue && { catalogue }),
    ...((protocol === 'legacy' || protocol === 'modern') && { protocol }),
  };
}

function readKept(value: unknown): KeptCatalogue | undefined {
  if (!isRecord(value)) return undefined;
  const { tools, prompts, resources, templates, instructions, hasResources } = value;
  if (!areTexts(tools) || !areTexts(prompts) || !areTexts(resources) || !areTexts(templates))
    return undefined;
  return {
    tools,
    prompts,
    resources,
    templates,
    hasResources: hasResources === true,
    ...(typeof instructions === 'string' && { instructions }),
  };
}

/** Each text must be JSON, because later readers rely on it. */
function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && isJson(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
