import { isAbsolute } from 'node:path';
import { handshake } from '../../plugin-protocol/index.js';

export type Address =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export interface Greeting {
  readonly address: Address;
  /** The plugin's certificate in DER. Without it, the plugin uses plain text. */
  readonly certificate?: Buffer;
}

/** A shorter last field is not a certificate. */
const shortestCertificate = 50;

/** Parses the handshake line of a plugin: `1|1|unix|/path|grpc|certificate`. Returns a text if it is invalid. */
export function readGreeting(line: string): Greeting | string {
  const fields = line.trim().split('|');
  const [core, app, network = '', address = '', protocol, certificate = ''] = fields;
  if (fields.length < 4) return 'its first line is not a handshake';
  if (core !== handshake.coreVersion) return `it uses go-plugin version ${quoted(core)}, not 1`;
  if (app !== handshake.appVersion) return `it uses plugin protocol version ${quoted(app)}, not 1`;
  if (protocol !== 'grpc') return `it uses ${quoted(protocol ?? 'netrpc')}, not grpc`;
  const place = readAddress(network, address);
  if (typeof place === 'string') return place;
  if (certificate.length <= shortestCertificate) return { address: place };
  return { address: place, certificate: Buffer.from(certificate, 'base64') };
}

/** Accepts only addresses on this machine, so that calls never go elsewhere. */
function readAddress(network: string, address: string): Address | string {
  if (network === 'unix') {
    return isAbsolute(address) ? { kind: 'unix', path: address } : 'its socket path is not absolute';
  }
  if (network !== 'tcp') return `its network is ${quoted(network)}, which is neither unix nor tcp`;
  const [, host = '', digits = ''] =
    /^(127(?:\.\d{1,3}){3}|localhost|\[::1\]):(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  return port > 0 && port < 65_536 ? { kind: 'tcp', host, port } : 'its address is not on this machine';
}

function quoted(text: string | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 40));
}
