import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Place, program } from './gate.js';

/** A place whose programs write down which files they load; `sources` names the sources of those. */
export interface WatchedPlace {
  readonly place: Place;
  /** The source files, from the source maps, of all that was loaded. The programs must have ended. */
  sources(): readonly string[];
  close(): void;
}

export function watchLoading(place: Place): WatchedPlace {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-loaded-'));
  const home = dirname(program);
  return {
    place: { ...place, env: { ...place.env, NODE_V8_COVERAGE: directory } },
    sources() {
      const urls = readdirSync(directory).flatMap((name) => {
        const { result } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as {
          readonly result: readonly { readonly url: string }[];
        };
        return result.map(({ url }) => url);
      });
      const files = [...new Set(urls)]
        .filter((url) => url.startsWith('file:'))
        .map((url) => fileURLToPath(url));
      return files.filter((file) => file.startsWith(home)).flatMap(sourcesOf);
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function sourcesOf(file: string): readonly string[] {
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as {
    readonly sources: readonly string[];
  };
  return sources;
}
