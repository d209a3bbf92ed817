import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateFile, replacePrivateFile } from '../config/private-file.js';
import { withFileLock } from '../lib/file-lock.js';
import { isRecord } from '../lib/is-record.js';
import type { PrivateFile } from '../services/own-paths/index.js';

/** Files of one gateway that agents of other gateways could reach in their workspace. */
export interface KnownPlace {
  readonly folder: string;
  readonly roots: readonly string[];
  readonly files: readonly PrivateFile[];
  readonly governing: readonly string[];
  readonly governingNames: readonly string[];
}

/** The places of every gateway that has used this state folder, in this process or another. */
export interface KnownPlaces {
  all(): readonly KnownPlace[];
  /** Adds a place. Call it before the files are used. */
  add(place: KnownPlace): void;
}

const largest = 4 * 1024 * 1024;
/** The oldest are dropped first. */
const maxPlaces = 1000;

export function openKnownPlaces(stateDirectory: string): KnownPlaces {
  const path = join(stateDirectory, 'places.json');
  let known: readonly KnownPlace[] = [];
  let stamp: string | undefined;

  /** Reads the file if it changed. A damaged file must not make other gateways' files visible. */
  function read(): readonly KnownPlace[] {
    const now = stampOf(path);
    if (now === stamp) return known;
    const content = readPrivateFile(path, { largest, forbidden: 0o022 });
    const text = content.state === 'absent' ? none : content.state === 'sound' ? content.text : undefined;
    const places = text === undefined ? undefined : parse(text);
    if (places === undefined) {
      const reason = 'reason' in content ? content.reason : 'it was not written by Tidegate';
      throw new Error(
        `The file ${path}, which lists the private files of all gateways, cannot be used: ${reason}. Delete it, then restart every gateway.`,
      );
    }
    known = places;
    stamp = now;
    return known;
  }

  return {
    all: read,
    add(place) {
      const text = JSON.stringify(place);
      const isNew = (one: KnownPlace): boolean => JSON.stringify(one) !== text;
      if (!read().every(isNew)) return;
      withFileLock(`${path}.lock`, (isHeld) => {
        // Places in folders that no longer exist have nothing to protect.
        const others = read().filter((one) => isNew(one) && existsSync(one.folder));
        const places = [...others, place].slice(-maxPlaces);
        replacePrivateFile(path, `${JSON.stringify({ version: 1, places }, undefined, 2)}\n`, isHeld);
        stamp = undefined;
      });
    },
  };
}

const none = '{"version":1,"places":[]}';

function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.size}`;
}

function parse(text: string): readonly KnownPlace[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || value['version'] !== 1 || !Array.isArray(value['places'])) return undefined;
    const places: readonly unknown[] = value['places'];
    return places.every(isPlace) ? places : undefined;
  } catch {
    return undefined;
  }
}

function isPlace(value: unknown): value is KnownPlace {
  if (!isRecord(value) || typeof value['folder'] !== 'string') return false;
  const { roots, files, governing, governingNames } = value;
  return [roots, governing, governingNames].every(isTexts) && Array.isArray(files) && files.every(isFile);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isFile(value: unknown): boolean {
  if (!isRecord(value) || typeof value['path'] !== 'string') return false;
  return value['kind'] === 'store' || value['kind'] === 'log';
}
