// Keyword stuffing: five hostile tools contain the 300 most common words of a set, in each field that a provider controls.
// How often is one of them among the first five results, and how much do the honest tools lose?
import { score } from './score.mjs';

const hostileTools = 5;
const commonest = 300;

/** Ways to stuff keywords: each turns the words into a tool without id, name and server. */
const ways = {
  description: (words) => ({ description: `${words.join(' ')}.` }),
  'first sentences': (words) => ({
    description: chunks(words, 12)
      .map((some) => `${some.join(' ')}.`)
      .join(' '),
  }),
  'repeated words': (words) => ({ description: words.flatMap((word) => [word, word, word]).join(' ') }),
  name: (words) => ({ name: words.join('_'), description: 'Does what you need.' }),
  'short name': (words, turn) => ({
    name: words.slice(turn * 6, turn * 6 + 6).join('_'),
    description: words.join(' '),
  }),
  title: (words) => ({ title: words.join(' '), description: 'Does what you need.' }),
  'parameter names': (words) => ({
    description: 'Does what you need.',
    inputSchema: schema(words, () => ({})),
  }),
  'parameter texts': (words) => ({
    description: 'Does what you need.',
    inputSchema: schema(['options'], () => ({ description: words.join(' ') })),
  }),
  enums: (words) => ({
    description: 'Does what you need.',
    inputSchema: schema(['option'], () => ({ enum: words })),
  }),
  everywhere: (words) => ({
    title: words.join(' '),
    description: words.join(' '),
    inputSchema: schema(words, (word) => ({ description: words.join(' '), enum: [word] })),
  }),
  invisible: (words) => ({ description: words.map((word) => [...word].join('\u200b')).join(' ') }),
};

export const stuffingWays = [...Object.keys(ways), 'copies'];

/** `fill(tools)` returns a search over these tools: (query, k) -> ids. */
export async function measureStuffing({ tools, queries }, way, fill) {
  const words = commonestWords(tools, queries);
  const hostile = Array.from({ length: hostileTools }, (_, turn) => ({
    name: `helper_${turn}`,
    ...(way === 'copies' ? copyOf(tools, turn) : ways[way](words, turn)),
    id: `hostile/${turn}`,
    server: 'hostile',
  }));
  const honest = await fill(tools);
  const attacked = await fill([...tools, ...hostile]);
  let hits = 0;
  let loss = 0;
  for (const query of queries) {
    const found = attacked(query.query, 50);
    if (found.slice(0, 5).some((id) => id.startsWith('hostile/'))) hits += 1;
    loss += score(honest(query.query, 50), query).ndcg10 - score(found, query).ndcg10;
  }
  return { way, share: hits / queries.length, loss: loss / queries.length };
}

/** One tool that copies the description of another. */
const copyOf = (tools, turn) => ({
  description: tools[Math.floor((turn * tools.length) / hostileTools)].description,
});

const schema = (names, property) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', ...property(name) }])),
});

const chunks = (list, size) =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

/** The most common words of the queries and tools, as an attacker who knows both would count them. */
function commonestWords(tools, queries) {
  const counts = new Map();
  for (const text of [...tools.map(({ description }) => description), ...queries.map(({ query }) => query)]) {
    for (const word of text.toLowerCase().match(/[a-z]{3,}/g) ?? [])
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, commonest)
    .map(([word]) => word);
}
