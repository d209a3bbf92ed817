import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The measuring programs are shared with other projects and not part of this one. They are run from their own folder
 * and never copied. Undefined if there are none.
 */
export function findMeasuringPrograms(root) {
  const places = [process.env['TIDEGATE_BENCH'], join(root, '..', 'shared', 'bench')];
  const folder = places.find((place) => place && existsSync(join(place, 'proxy', 'compare.mjs')));
  if (folder === undefined) return undefined;
  const proxy = resolve(folder, 'proxy');
  return {
    compare: join(proxy, 'compare.mjs'),
    echo: join(proxy, 'echo-server.mjs'),
    relay: join(proxy, 'relay.mjs'),
    relayHttp: join(proxy, 'relay-http.mjs'),
  };
}
