import { describe, expect, it } from 'vitest';
import { AccessError, compileModel } from './index.js';

const types = (text: string): string => `model\n  schema 1.1\ntype user\n${text}`;

async function problemsOf(model: string | object): Promise<readonly string[]> {
  const error: unknown = await compileModel(model).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AccessError)) throw new Error('the model was accepted');
  return error.problems.length === 0 ? [error.code] : error.problems.map(({ code, at }) => `${code} ${at}`);
}

describe('compiling a model', () => {
  it('returns plain data that survives JSON and compiles to itself', async () => {
    const compiled = await compileModel(types('type doc\n  relations\n    define viewer: [user, user:*]'));
    expect(JSON.parse(JSON.stringify(compiled))).toEqual(compiled);
    expect(await compileModel(compiled)).toBe(compiled);
    expect(compiled.types[1]?.relations[0]).toEqual({
      name: 'viewer',
      rewrite: { kind: 'direct' },
      direct: [{ type: 'user' }, { type: 'user', wildcard: true }],
    });
  });

  it('refuses text that is not a model', async () => {
    expect(await problemsOf('this is no model')).toEqual(['model.syntax']);
    expect(await problemsOf('{')).toEqual(['model.syntax']);
    expect(await problemsOf({})).toEqual(['model.shape']);
    expect(await problemsOf({ schema_version: '1.0', type_definitions: [] })).toEqual([
      'model.schema_version model',
    ]);
  });

  it('refuses a relation without a definition', async () => {
    const relations = { viewer: { union: { child: [{ this: {} }] } }, editor: {} };
    const model = { schema_version: '1.1', type_definitions: [{ type: 'doc', relations }] };
    expect(await problemsOf(model)).toEqual(
      expect.arrayContaining(['model.invalid_rewrite doc#viewer', 'model.invalid_rewrite doc#editor']),
    );
  });

  it('reports all undefined names at once', async () => {
    const model = types(`
type doc
  relations
    define parent: [folder]
    define viewer: [user, group#member, user with late] or editor
    define reader: viewer from owner`);
    expect(await problemsOf(model)).toEqual([
      'model.undefined_type doc#parent',
      'model.undefined_relation doc#viewer',
      'model.undefined_type doc#viewer',
      'model.undefined_condition doc#viewer',
      'model.undefined_relation doc#reader',
    ]);
  });

  it('refuses relations that can never apply, and cyclic ones', async () => {
    expect(await problemsOf(types('type doc\n  relations\n    define a: [doc#a]'))).toEqual([
      'model.no_entrypoint doc#a',
    ]);
    const circle = types('type doc\n  relations\n    define a: [user] or b\n    define b: [user] or a');
    expect(await problemsOf(circle)).toEqual(['model.cycle doc#a', 'model.cycle doc#b']);
    expect(await problemsOf(types('type doc\n  relations\n    define a: a'))).toContain('model.cycle doc#a');
  });

  it('refuses a relation after "from" that can contain more than objects', async () => {
    const model = types(
      'type doc\n  relations\n    define parent: [doc, doc:*]\n    define viewer: [user] or viewer from parent',
    );
    expect(await problemsOf(model)).toEqual(['model.tupleset_not_direct doc#viewer']);
  });

  it('refuses duplicate types, invalid names and restrictions on relations that cannot be assigned', async () => {
    const relations = { 'a b': { this: {} }, self: { computed_userset: { relation: 'a b' } } };
    const metadata = { relations: { self: { directly_related_user_types: [{ type: 'user' }] } } };
    const model = {
      schema_version: '1.1',
      type_definitions: [{ type: 'user' }, { type: 'user', relations, metadata }],
    };
    expect(await problemsOf(model)).toEqual([
      'model.duplicate_type user',
      'model.name user#a b',
      'model.name user#self',
      'model.no_type_restriction user#a b',
      'model.not_assignable user#self',
    ]);
  });

  it.each([
    ['x + 1', 'returns int'],
    ['x < y', 'Unknown variable'],
    ['x <', 'is invalid'],
  ])('refuses the condition %s', async (expression, words) => {
    const model = types(
      `type doc\n  relations\n    define viewer: [user with c]\ncondition c(x: int) {\n  ${expression}\n}`,
    );
    await expect(compileModel(model)).rejects.toThrow(words);
    expect(await problemsOf(model)).toEqual(['model.condition c']);
  });
});
