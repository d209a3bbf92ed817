/** The login requirements in a 401 or 403 response. */
export interface Challenge {
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
  /** The remote address of the response. A server is inside a private network only if this address is. */
  readonly answeredFrom?: string;
}

const longest = 8192;

/** Parses `WWW-Authenticate`. Unreadable parts are ignored. */
export function readChallenge(header: string | undefined): Challenge {
  if (header === undefined || header.length > longest || !/^\s*(?:bearer|dpop)\b/i.test(header)) return {};
  const [resourceMetadata, scope, error] = [
    field(header, 'resource_metadata'),
    field(header, 'scope'),
    field(header, 'error'),
  ];
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
  };
}

function field(header: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s,]+))`, 'i').exec(header);
  const value = found?.[1] ?? found?.[2];
  return value === '' ? undefined : value;
}

/** Merges scope lists, without duplicates, in order. */
export function scopeUnion(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = scopes.flatMap((scope) => scope?.split(' ') ?? []).filter((one) => one !== '');
  return all.length === 0 ? undefined : [...new Set(all)].join(' ');
}

const maxScopes = 100;
const maxScopeLength = 4096;

/** More than any honest server needs. The list is kept in a file and in every link. */
export function areTooMany(scope: string | undefined): boolean {
  return scope !== undefined && (scope.length > maxScopeLength || scope.split(' ').length > maxScopes);
}

/** Whether all wanted scopes were granted. */
export function isGranted(wanted: string | undefined, granted: string | undefined): boolean {
  const has = new Set(granted?.split(' '));
  return (wanted?.split(' ') ?? []).every((one) => one === '' || has.has(one));
}
