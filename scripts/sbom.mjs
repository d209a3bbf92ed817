import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The software bill of materials in CycloneDX 1.6: bundled packages, and dependencies that npm installs. Deterministic:
 * it contains no timestamp and no random number.
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

/** The packages that `npm install tidegate` installs on any platform: all in the lock file except development packages. */
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

/** The lock file has the hash in base64; CycloneDX requires hexadecimal. */
function hashOf(integrity) {
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  return { alg: 'SHA-512', content };
}

function unique(components) {
  return [...new Map(components.map((one) => [one['bom-ref'], one])).values()].sort((a, b) =>
    a['bom-ref'] < b['bom-ref'] ? -1 : 1,
  );
}
