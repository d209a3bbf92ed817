export interface Reply {
  readonly status: number;
  readonly body: string;
}

export function ok(value: unknown): Reply {
  return { status: 200, body: JSON.stringify(value) };
}

export function failure(status: number, code: string, message: string, upstream?: string): Reply {
  const tail = upstream === undefined ? '' : `,"upstream":${upstream}`;
  return {
    status,
    body: `{"error":{"code":${JSON.stringify(code)},"message":${JSON.stringify(message)}${tail}}}`,
  };
}
