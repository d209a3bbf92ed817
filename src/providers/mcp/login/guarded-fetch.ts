import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { bareHost, isLoopbackName, locate, type Reach, reachOf } from './addresses.js';
import { LoginFailure } from './settings.js';

/** The part of `fetch` that logins need. Does not follow redirects. */
export type GuardedFetch = (url: string | URL, init?: GuardedInit) => Promise<Response>;

interface GuardedInit extends RequestInit {
  /** Ignore the body, which may never end. */
  readonly headersOnly?: true;
}

export interface GuardOptions {
  readonly signal?: AbortSignal;
  /** The remote address of the connection on which the server required the login, if known. */
  readonly answeredFrom?: string | undefined;
  readonly limits?: FetchLimits;
}

export interface FetchLimits {
  readonly mostBytes: number;
  readonly longestMs: number;
}

const usualLimits: FetchLimits = { mostBytes: 1024 * 1024, longestMs: 20_000 };

/**
 * Fetches URLs that a server names: metadata, registration, tokens. Allows only https, or http on this machine. A public
 * server cannot make us contact a private network. Size and time are limited.
 */
export async function openGuardedFetch(
  server: string,
  { signal, answeredFrom, limits = usualLimits }: GuardOptions = {},
): Promise<GuardedFetch> {
  const { isInside, addresses } = await locate(server, answeredFrom);
  const serverHost = bareHost(new URL(server).hostname);
  return async (url, init = {}) => {
    const target = new URL(url);
    refuseScheme(target);
    const allow = (reach: Reach): boolean => reach === 'public' || (reach !== 'link-local' && isInside);
    const host = bareHost(target.hostname);
    if (isIP(host) !== 0 && !allow(reachOf(host))) throw inward(target);
    const known = host === serverHost ? addresses : undefined;
    return send(target, init, { lookup: guardedLookup(target, allow, known), signal, limits });
  };
}

/** Throws unless the URL uses https, or http on this machine. */
export function refuseScheme(target: URL): void {
  const isPlain = target.protocol === 'http:' && isLoopbackName(target.hostname);
  if (target.protocol === 'https:' || isPlain) return;
  throw new LoginFailure('unfit', `${target.origin} does not use https, so no login data is sent to it`);
}

/** Connects only to addresses that were checked. `known`: the addresses of the server itself. */
function guardedLookup(
  target: URL,
  allow: (reach: Reach) => boolean,
  known: readonly dns.LookupAddress[] | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (found: readonly dns.LookupAddress[]): void => {
      if (found.some(({ address }) => !allow(reachOf(address)))) return callback(inward(target), '');
      const [first] = found;
      if (options.all === true) callback(null, [...found]);
      else callback(null, first?.address ?? '', first?.family);
    };
    if (known !== undefined) return answer(known);
    dns.lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error === null) answer(found);
      else callback(error, '');
    });
  };
}

interface Sending {
  readonly lookup: LookupFunction;
  readonly signal: AbortSignal | undefined;
  readonly limits: FetchLimits;
}

function send(target: URL, init: GuardedInit, { lookup, signal, limits }: Sending): Promise<Response> {
  const library = target.protocol === 'https:' ? https : http;
  const body = bodyOf(init.body);
  const headers = {
    ...Object.fromEntries(new Headers(init.headers)),
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
  const time = AbortSignal.timeout(limits.longestMs);
  const until = signal === undefined ? time : AbortSignal.any([time, signal]);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(failureOf(target, error, time.aborted));
    const request = library.request(
      target,
      { method: init.method ?? 'GET', headers, lookup, signal: until, agent: false },
      (response) => {
        if (init.headersOnly === true) {
          response.destroy();
          return resolve(responseOf(response, ''));
        }
        readAll(response, target, limits.mostBytes).then((text) => resolve(responseOf(response, text)), fail);
      },
    );
    request.on('error', fail);
    request.end(body);
  });
}

async function readAll(response: http.IncomingMessage, target: URL, most: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) {
      response.destroy();
      throw new LoginFailure('unfit', `the response of ${target.origin} is too large`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const bodiless = new Set([204, 205, 304]);

function responseOf({ statusCode = 502, headers }: http.IncomingMessage, text: string): Response {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  const status = statusCode >= 200 && statusCode < 600 ? statusCode : 502;
  return new Response(bodiless.has(status) ? null : text, { status, headers: kept });
}

function bodyOf(body: RequestInit['body']): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('unsupported request body type');
}

function failureOf(target: URL, error: unknown, isLate: boolean): LoginFailure {
  if (error instanceof LoginFailure) return error;
  if (isLate) return new LoginFailure('unreachable', `${target.origin} did not answer in time`);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed';
  return new LoginFailure('unreachable', `${target.origin} could not be reached: ${code}`);
}

function inward(target: URL): LoginFailure {
  const message = 'it has a private network address, but not all addresses of the server are private';
  return new LoginFailure('unfit', `${target.origin} was not contacted: ${message}`);
}
