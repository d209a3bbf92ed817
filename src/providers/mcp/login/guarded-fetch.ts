import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { bareHost, isInside, isLoopbackName, type Reach, reachOf } from './addresses.js';
import { LoginFailure } from './settings.js';

/** As much of `fetch` as logins need. Follows no redirect. */
export type GuardedFetch = (url: string | URL, init?: GuardedInit) => Promise<Response>;

interface GuardedInit extends RequestInit {
  /** The body is of no interest, and may never end. */
  readonly headersOnly?: true;
}

export interface FetchLimits {
  readonly mostBytes: number;
  readonly longestMs: number;
}

const usualLimits: FetchLimits = { mostBytes: 1024 * 1024, longestMs: 20_000 };

/**
 * Fetches what a server names: metadata, registrations, tokens. Only over https, or http on this machine; from a public
 * server never into a network that only we can reach; bounded in size and time.
 */
export async function openGuardedFetch(
  server: string,
  signal?: AbortSignal,
  limits: FetchLimits = usualLimits,
): Promise<GuardedFetch> {
  const mayGoInside = await isInside(server);
  return async (url, init = {}) => {
    const target = new URL(url);
    refuseScheme(target);
    const allow = (reach: Reach): boolean => reach === 'public' || (reach !== 'link-local' && mayGoInside);
    const host = bareHost(target.hostname);
    if (isIP(host) !== 0 && !allow(reachOf(host))) throw inward(target);
    return send(target, init, { lookup: guardedLookup(target, allow), signal, limits });
  };
}

/** Whether a browser may be sent there, or a secret. */
export function refuseScheme(target: URL): void {
  const isPlain = target.protocol === 'http:' && isLoopbackName(target.hostname);
  if (target.protocol === 'https:' || isPlain) return;
  throw new LoginFailure('unfit', `${target.origin} is not https, so nothing of a login goes there`);
}

/** The address that was looked at is the one that is gone to. */
function guardedLookup(target: URL, allow: (reach: Reach) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      if (found.some(({ address }) => !allow(reachOf(address)))) return callback(inward(target), '');
      const [first] = found;
      if (options.all === true) callback(null, found);
      else callback(null, first?.address ?? '', first?.family);
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
      throw new LoginFailure('unfit', `${target.origin} answered with too much`);
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
  throw new TypeError('a body that logins do not have');
}

function failureOf(target: URL, error: unknown, isLate: boolean): LoginFailure {
  if (error instanceof LoginFailure) return error;
  if (isLate) return new LoginFailure('unreachable', `${target.origin} gave no answer in time`);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'it broke off';
  return new LoginFailure('unreachable', `${target.origin} could not be reached: ${code}`);
}

function inward(target: URL): LoginFailure {
  const message = 'it leads into a private network, and the server that names it is public';
  return new LoginFailure('unfit', `${target.origin} is not asked: ${message}`);
}
