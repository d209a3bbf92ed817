import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createCertificate } from '../../plugin-protocol/index.js';

/** Our TLS identity for one plugin process. It is never reused. */
export interface Identity {
  readonly key: string;
  readonly certificate: string;
}

const leewayMs = 30_000;
const goodForMs = 30 * 365 * 24 * 3600_000;

export function createIdentity(now = Date.now()): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = createCertificate({
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    sign: (bytes) => sign('sha256', bytes, privateKey),
    serial: randomBytes(16),
    notBefore: new Date(now - leewayMs),
    notAfter: new Date(now + goodForMs),
  });
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate: pemOf(der) };
}

export function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
