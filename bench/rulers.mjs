import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The measuring programs are shared with other projects and are not part of this one: they are run where they
 * lie, never copied. Gives undefined where there are none.
 */
export function findRulers(root) {
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
