import assert from 'node:assert/strict';
import { recordOf, storeCase, tokenOf, tupleOf, tuplesIn, writeOf } from './case.js';

const oddTexts = [
  '',
  ' ',
  "'; drop table grants; --",
  '"quoted" \\ back\\slash',
  '%_*?[a-z]',
  'line\nbreak\ttab\r',
  'é',
  'e\u0301',
  '漢字 العربية \u202eright to left',
  '👩‍👩‍👧 😀',
  '\u{10ffff}',
  '\ue000 private',
  '\ufeff\u200b',
  '\ufffd',
  'null',
  '{"json":true}',
  '\\u0000',
  'x'.repeat(4096),
  '字'.repeat(4096),
];
const unstorable = ['a\0b', '\0', '\ud800', 'a\udc00b', 'x'.repeat(4097)];

export const textCases = [
  storeCase('unusual text is returned unchanged and stays distinct', async ({ zone, open }) => {
    const store = await open();
    const add = oddTexts.flatMap((text) => [
      tupleOf(text, 'caller', 'tool:a'),
      tupleOf('principal:user/a', text, 'tool:a'),
      {
        ...tupleOf('principal:user/a', 'caller', `tool:${text.slice(0, 4000)}`),
        condition: conditionOf(text),
      },
    ]);
    const { added } = await store.write(writeOf(zone, { add }));
    assert.equal(added.length, add.length);
    const grants = await store.grants(zone);
    assert.equal(grants.length, add.length);
    for (const text of oddTexts) {
      assert.deepEqual(
        (await store.grants(zone, { user: text })).map(({ user }) => user),
        [text],
      );
      const object = `tool:${text.slice(0, 4000)}`;
      const found = await store.grants(zone, { object, relation: 'caller', user: 'principal:user/a' });
      assert.deepEqual(found[0]?.condition, conditionOf(text));
    }
    await store.write(writeOf(zone, { remove: add }));
    assert.deepEqual(await tuplesIn(store, zone), []);
  }),

  storeCase('tuples are sorted by object, relation and user, in code point order', async ({ zone, open }) => {
    const store = await open();
    // U+10000 sorts after U+E000, although its first UTF-16 unit does not.
    const sorted = ['B', 'a', 'aa', 'b', 'é', '\ue000', '\u{10000}', '😀'];
    const add = [...sorted]
      .reverse()
      .flatMap((object) => [tupleOf(`u:${object}`, 'r', 't:1'), tupleOf('u:1', 'r', `t:${object}`)]);
    const { added } = await store.write(writeOf(zone, { add }));
    const grants = await store.grants(zone);
    const wanted = [
      ...sorted.map((user) => [`u:${user}`, 't:1']),
      ...sorted.map((object) => ['u:1', `t:${object}`]),
    ];
    assert.deepEqual(
      grants.map(({ user, object }) => [user, object]),
      wanted,
    );
    assert.deepEqual(
      added.map(({ user, object }) => [user, object]),
      wanted,
    );
    const { removed } = await store.write(writeOf(zone, { removeMatching: [{}] }));
    assert.deepEqual(
      removed.map(({ user, object }) => [user, object]),
      wanted,
    );
  }),

  storeCase('text that cannot be stored unchanged is rejected', async ({ zone, open }) => {
    const store = await open();
    const fine = tupleOf('principal:user/a', 'caller', 'tool:fine');
    for (const text of unstorable) {
      for (const tuple of [
        tupleOf(text, 'caller', 'tool:a'),
        tupleOf('principal:user/a', text, 'tool:a'),
        tupleOf('principal:user/a', 'caller', text),
        { ...tupleOf('principal:user/a', 'caller', 'tool:a'), condition: { name: text } },
      ]) {
        await assert.rejects(store.write(writeOf(zone, { add: [fine, tuple] })));
        if (!('condition' in tuple)) await assert.rejects(store.write(writeOf(zone, { remove: [tuple] })));
      }
      await assert.rejects(store.addToken(tokenOf(zone, { id: text }), recordOf(zone)));
      await assert.rejects(store.addToken(tokenOf(zone, { hash: text }), recordOf(zone)));
    }
    assert.equal((await store.head(zone)).revision, 0);
    assert.deepEqual(await store.audit({ zone, limit: 10 }), []);
  }),
];

/** A condition can hold any text. */
function conditionOf(text: string) {
  return {
    name: 'c',
    context: { text, [text]: [text, 1.5, null, true, { text }], nul: 'a\0b', half: '\ud800' },
  };
}
