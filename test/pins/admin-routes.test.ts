import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApi, routes } from '../../src/transports/admin-api/routes.js';

interface Operation {
  readonly operationId: string;
}

const document = JSON.parse(
  readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const pinned = [
  'DELETE /api/grants revoke',
  'DELETE /api/tokens/{id} revokeToken',
  'GET /api/access exportAccess',
  'GET /api/audit audit',
  'GET /api/check check',
  'GET /api/context context',
  'GET /api/explain explain',
  'GET /api/openapi.json openApi',
  'GET /api/principals/{principal} principal',
  'GET /api/profiles profiles',
  'GET /api/profiles/{name} profile',
  'GET /api/servers servers',
  'GET /api/status status',
  'GET /api/tokens tokens',
  'GET /api/tools tools',
  'GET /api/tools/{name} tool',
  'POST /api/access importAccess',
  'POST /api/access/test testAccess',
  'POST /api/audit/prune pruneAudit',
  'POST /api/grants grant',
  'POST /api/tokens createToken',
  'POST /api/tools/{name}/call call',
  'PUT /api/principals/{principal}/profile assignProfile',
];

describe('the admin API', () => {
  it('has exactly these addresses', () => {
    expect(routes.map(({ method, path, operation }) => `${method} ${path} ${operation}`).sort()).toEqual(
      pinned,
    );
  });

  it('matches its OpenAPI description', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
      ),
    );
    expect(described.sort()).toEqual(pinned);
    expect(document).toEqual(openApi(document.info.version));
    expect(document.openapi).toBe('3.1.0');
  });

  it('requires authorization at every address', () => {
    const { security, paths } = openApi('1') as {
      readonly security: unknown;
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
    };
    expect(security).toEqual([{ bearer: [] }]);
    for (const operations of Object.values(paths)) {
      for (const { responses } of Object.values(operations)) {
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '403']));
      }
    }
  });
});
