/** What a server says with 401 or 403 about the login that it wants. */
export interface Challenge {
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
}

const longest = 8192;

/** Reads `WWW-Authenticate`. What cannot be read says nothing. */
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

/** All scopes of these texts, each once, in the order in which they come. */
export function scopeUnion(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = scopes.flatMap((scope) => scope?.split(' ') ?? []).filter((one) => one !== '');
  return all.length === 0 ? undefined : [...new Set(all)].join(' ');
}

/** Whether everything that is wanted was granted. */
export function isGranted(wanted: string | undefined, granted: string | undefined): boolean {
  const has = new Set(granted?.split(' '));
  return (wanted?.split(' ') ?? []).every((one) => one === '' || has.has(one));
}
