import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { messageOf } from '../lib/error-message.js';
import {
  brokerService,
  controllerService,
  decodeMessage,
  encodeMessage,
  eventService,
  type Message,
  type Method,
  stdioService,
} from '../plugin-protocol/index.js';
import { type Answer, WrongArguments } from './answers.js';
import type { StrayOutput } from './stray-output.js';

export interface GrpcServerParts {
  readonly answers: readonly Answer[];
  readonly output: StrayOutput;
  /** Aborted when the plugin stops. */
  readonly life: AbortSignal;
  readonly onShutdown: () => void;
}

export interface GrpcServer {
  listen(address: string, tls: TlsParts | undefined): Promise<number>;
  close(): Promise<void>;
}

export interface TlsParts {
  readonly clientCertificate: string;
  readonly key: string;
  readonly certificate: string;
}

/** Calls in flight have been aborted by then. */
const graceMs = 300;

/** The services of a plugin, and those that go-plugin adds. */
export function createGrpcServer(parts: GrpcServerParts): GrpcServer {
  const server = new Server({
    // Other hosts send at most 4 MiB, but ours may send more.
    'grpc.max_receive_message_length': 64 * 1024 * 1024,
    'grpc.max_send_message_length': -1,
    'grpc.enable_channelz': 0,
  });
  for (const answer of parts.answers) add(server, answer.method, unary(answer, parts.life));
  add(server, controllerService.shutdown, (_call: unknown, done: (error: null, given: object) => void) => {
    done(null, {});
    parts.onShutdown();
  });
  add(server, stdioService.streamStdio, (call: ServerWritableStream<unknown, object>) => {
    const stop = parts.output.listen((data) => void call.write({ channel: 1, data }));
    call.on('cancelled', stop);
    parts.life.addEventListener('abort', () => call.end(), { once: true });
  });
  // The broker is unused, but a host that opens the stream expects it to stay open.
  add(server, brokerService.startStream, (call: ServerDuplexStream<unknown, object>) => {
    call.on('data', () => undefined);
    call.on('end', () => call.end());
    parts.life.addEventListener('abort', () => call.end(), { once: true });
  });
  add(server, eventService.streamEvents, streamed(parts));
  return {
    listen: (address, tls) => bind(server, address, tls),
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          server.forceShutdown();
          resolve();
        }, graceMs);
        server.tryShutdown(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

/** Registers each method as its own service: only the paths matter. */
function add(server: Server, method: Method<Message, Message>, handler: unknown): void {
  const { path, asked, given, streams } = method;
  const asBytes = (table: Message) => (value: object) => Buffer.from(encodeMessage(table, value));
  const definition = {
    only: {
      path,
      requestStream: streams === 'asked' || streams === 'both',
      responseStream: streams === 'given' || streams === 'both',
      requestSerialize: asBytes(asked),
      requestDeserialize: (bytes: Buffer) => decodeMessage(asked, bytes),
      responseSerialize: asBytes(given),
      responseDeserialize: (bytes: Buffer) => decodeMessage(given, bytes),
    },
  };
  server.addService(definition, { only: handler } as UntypedServiceImplementation);
}

function unary(answer: Answer, life: AbortSignal): handleUnaryCall<unknown, unknown> {
  return (call, done) => {
    const own = new AbortController();
    call.on('cancelled', () => own.abort());
    answer.give(call.request, AbortSignal.any([own.signal, life])).then(
      (value) => done(null, value),
      (error: unknown) =>
        done({
          code: error instanceof WrongArguments ? status.INVALID_ARGUMENT : status.UNKNOWN,
          details: messageOf(error),
        }),
    );
  };
}

/** Events as a stream, handled in order. Emitted events are dropped, because this method has no response for them. */
function streamed({ answers, life }: GrpcServerParts) {
  const single = answers.find(({ method }) => method.path === eventService.handleEvent.path);
  return (call: NodeJS.ReadableStream, done: (error: null, given: object) => void): void => {
    let last: Promise<unknown> = Promise.resolve();
    call.on('data', (event: unknown) => {
      last = last.then(() => single?.give(event, life)).catch(() => undefined);
    });
    call.on('end', () => void last.then(() => done(null, {})));
  };
}

function bind(server: Server, address: string, tls: TlsParts | undefined): Promise<number> {
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(
          Buffer.from(tls.clientCertificate),
          [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) }],
          true,
        );
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}
