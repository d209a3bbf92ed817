import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { messageOf } from '../../lib/error-message.js';
import {
  decodeMessage,
  encodeMessage,
  type Message,
  type Method,
  type ValueOf,
} from '../../plugin-protocol/index.js';
import { CallFailure, type FailureKind } from './call-failure.js';
import type { Greeting } from './handshake-line.js';
import { type Identity, pemOf } from './identity.js';
import { largestAnswer, largestDescription } from './largest-answer.js';

/** The limits of one call. */
export interface CallLimits {
  readonly ms: number;
  readonly signal?: AbortSignal;
  /** Defaults to the limit for descriptions. */
  readonly mostBytes?: number;
}

/** The gRPC connection to one plugin process. */
export interface Channel {
  /** Rejects only with a `CallFailure`. */
  call<A extends Message, G extends Message>(
    method: Method<A, G>,
    asked: Partial<ValueOf<A>>,
    limits: CallLimits,
  ): Promise<ValueOf<G>>;
  /** Receives messages of a server stream until the channel is closed. */
  listen<A extends Message, G extends Message>(method: Method<A, G>, hear: (given: ValueOf<G>) => void): void;
  /** Opens a bidirectional stream and keeps it open. */
  hold<A extends Message, G extends Message>(method: Method<A, G>): void;
  close(): void;
}

const channelOptions: ChannelOptions = {
  'grpc.max_receive_message_length': largestAnswer,
  'grpc.max_send_message_length': -1,
  'grpc.default_authority': 'localhost',
  'grpc.ssl_target_name_override': 'localhost',
  // One connection to one process: no sharing, DNS lookups, proxies or retries.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_retries': 0,
  'grpc.enable_channelz': 0,
};

export function openChannel(greeting: Greeting, identity: Identity | undefined): Channel {
  const client = new Client(targetOf(greeting), credentialsOf(greeting, identity), channelOptions);
  const streams = new Set<{ cancel(): void }>();
  const asBytes = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const asIs = (bytes: Buffer): Buffer => bytes;

  function call<A extends Message, G extends Message>(
    { path, asked: table, given }: Method<A, G>,
    asked: Partial<ValueOf<A>>,
    { ms, signal, mostBytes = largestDescription }: CallLimits,
  ): Promise<ValueOf<G>> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new CallFailure('cancelled', 'cancelled'));
      const bytes = asBytes(encodeMessage(table, asked));
      const settle = (error: ServiceError | null, answer?: Buffer): void => {
        signal?.removeEventListener('abort', cancel);
        if (error !== null) return reject(failureOf(error, signal));
        if (answer !== undefined && answer.length > mostBytes)
          return reject(new CallFailure('too_large', `its response has ${String(answer.length)} bytes`));
        try {
          resolve(decodeMessage(given, answer ?? Buffer.alloc(0)));
        } catch (problem) {
          reject(new CallFailure('malformed', messageOf(problem)));
        }
      };
      const options = { deadline: Date.now() + ms };
      const running = client.makeUnaryRequest(path, asIs, asIs, bytes, new Metadata(), options, settle);
      const cancel = (): void => running.cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  return {
    call,
    listen({ path, given }, hear) {
      const stream = client.makeServerStreamRequest(path, asIs, asIs, Buffer.alloc(0));
      streams.add(stream);
      stream.on('data', (bytes: Buffer) => {
        try {
          hear(decodeMessage(given, bytes));
        } catch {
          // Ignore unreadable messages; no caller waits for them.
        }
      });
      // The process exited, which is reported elsewhere, or the plugin lacks the service, which is harmless.
      stream.on('error', () => {});
    },
    hold({ path }) {
      const stream: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(path, asIs, asIs);
      streams.add(stream);
      stream.on('data', () => {});
      stream.on('error', () => {});
    },
    close() {
      for (const stream of streams) stream.cancel();
      client.close();
    },
  };
}

function targetOf({ address }: Greeting): string {
  return address.kind === 'unix' ? `unix:${address.path}` : `${address.host}:${address.port}`;
}

/** Trusts only the certificate from the handshake. */
function credentialsOf({ certificate }: Greeting, identity: Identity | undefined): ChannelCredentials {
  if (certificate === undefined || identity === undefined) return credentials.createInsecure();
  const root = Buffer.from(pemOf(certificate));
  return credentials.createSsl(root, Buffer.from(identity.key), Buffer.from(identity.certificate));
}

const kinds: Readonly<Partial<Record<status, FailureKind>>> = {
  [status.CANCELLED]: 'cancelled',
  [status.DEADLINE_EXCEEDED]: 'timeout',
  [status.INVALID_ARGUMENT]: 'invalid',
  [status.RESOURCE_EXHAUSTED]: 'too_large',
  [status.UNIMPLEMENTED]: 'unimplemented',
  [status.UNAVAILABLE]: 'unavailable',
};

function failureOf({ code, details }: ServiceError, signal: AbortSignal | undefined): CallFailure {
  if (signal?.aborted === true) return new CallFailure('cancelled', 'cancelled');
  // We did not cancel: the connection was closed because the process exited.
  const kind = code === status.CANCELLED ? 'unavailable' : (kinds[code] ?? 'refused');
  return new CallFailure(kind, details);
}
