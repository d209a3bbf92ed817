import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What the package is made of, in CycloneDX 1.6: the packages inside the bundles, and those that npm installs along.
 * The same sources give the same text: it has no time and no random number.
 */
export async function sbom(root, bundled) {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const installed = installedPackages(lock);
  const inside = bundled.map((one) => component(one.manifest, 'bundled'));
  const along = installed.map((one) => component(one, 'installed'));
  const own = { ...component(manifest, 'own'), type: 'application' };
  const components = unique([...inside, ...along]);
  const refs = components.map((one) => one['bom-ref']);
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: own },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: refs }],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** What `npm install tidegate` brings, on any platform: the lock file's packages that are not for development only. */
function installedPackages({ packages }) {
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path, { version, license, optional, integrity }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      ...{ version, license, optional, integrity },
    }));
}

function component({ name, version, license, optional, integrity }, how) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': `${how}:${purl}`,
    name,
    version,
    purl,
    ...(how !== 'own' && { scope: optional === true ? 'optional' : 'required' }),
    ...(typeof license === 'string' && { licenses: [{ expression: license }] }),
    ...(integrity && { hashes: [hashOf(integrity)] }),
    ...(how !== 'own' && { properties: [{ name: 'tidegate:how', value: how }] }),
  };
}

/** The lock file has it in base64; CycloneDX wants it in hexadecimal. */
function hashOf(integrity) {
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return { alg: 'SHA-512', content };
}

function unique(components) {
  return [...new Map(components.map((one) => [one['bom-ref'], one])).values()].sort((a, b) =>
    a['bom-ref'] < b['bom-ref'] ? -1 : 1,
  );
}
