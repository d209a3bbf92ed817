import { isAbsolute } from 'node:path';
import { handshake } from '../../kernel/plugin-protocol/index.js';

export type Address =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export interface Greeting {
  readonly address: Address;
  /** The plugin's certificate in DER; absent: it speaks plain text. */
  readonly certificate?: Buffer;
}

/** A last field that is shorter holds no certificate. */
const shortestCertificate = 50;

/** Reads the one line that a plugin prints: `1|1|unix|/path|grpc|certificate`. A text says what is wrong with it. */
export function readGreeting(line: string): Greeting | string {
  const fields = line.trim().split('|');
  const [core, app, network = '', address = '', protocol, certificate = ''] = fields;
  if (fields.length < 4) return 'its first line is not a handshake';
  if (core !== handshake.coreVersion) return `it speaks version ${quoted(core)} of go-plugin, not 1`;
  if (app !== handshake.appVersion) return `it speaks version ${quoted(app)} of the plugin protocol, not 1`;
  if (protocol !== 'grpc') return `it speaks ${quoted(protocol ?? 'netrpc')}, not grpc`;
  const place = readAddress(network, address);
  if (typeof place === 'string') return place;
  if (certificate.length <= shortestCertificate) return { address: place };
  return { address: place, certificate: Buffer.from(certificate, 'base64') };
}

/** On this machine only: whatever else it names, our calls do not go there. */
function readAddress(network: string, address: string): Address | string {
  if (network === 'unix') {
    return isAbsolute(address) ? { kind: 'unix', path: address } : 'its socket has no absolute path';
  }
  if (network !== 'tcp') return `it listens on ${quoted(network)}, which is neither unix nor tcp`;
  const [, host = '', digits = ''] =
    /^(127(?:\.\d{1,3}){3}|localhost|\[::1\]):(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  return port > 0 && port < 65_536 ? { kind: 'tcp', host, port } : 'its address is not one of this machine';
}

function quoted(text: string | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 40));
}
