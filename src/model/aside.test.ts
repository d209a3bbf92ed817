import { describe, expect, it } from 'vitest';
import { inConversation } from './in-conversation.js';

describe('a side request', () => {
  const wanted = {
    type: 'OBJECT',
    properties: {
      why: { type: 'STRING' },
      score: { type: 'INTEGER' },
      choice: { enum: ['flash', 'pro'] },
      all: { type: 'array', items: { type: 'string' } },
      isSure: { type: 'boolean' },
    },
  };
  it('gets valid JSON if it asks for JSON, because the agent would retry for minutes', () => {
    const script = inConversation([{ say: 'of the conversation' }]);
    const body = { generationConfig: { responseJsonSchema: wanted } };
    const answer = script({ turn: 0, advertised: [], body }) as { readonly say: string };
    expect(JSON.parse(answer.say)).toEqual({ why: 'ok', score: 1, choice: 'flash', all: [], isSure: false });
    expect(script({ turn: 0, advertised: [] })).toEqual({ say: 'ok' });
  });
});
