// Ways to break the engine, each by one edit of its text. The replaced text must occur exactly once.

export interface Mutant {
  readonly name: string;
  /** In src/access/engine. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

export const mutants: readonly Mutant[] = [
  evaluate('or becomes and', 'return this.#union(rule.of', 'return this.#intersection(rule.of'),
  evaluate('and becomes or', 'return this.#intersection(rule.of', 'return this.#union(rule.of'),
  evaluate(
    'but not is dropped',
    'return this.#exclusion(rule, relation, object, depth);',
    'return this.#apply(rule.base, relation, object, depth);',
  ),
  evaluate('what is subtracted does not count', 'if (subtract === ALLOW) return DENY;', ''),
  evaluate(
    'an unknown subtraction does not count',
    'return base === ERROR ? ERROR : subtract;',
    'return base;',
  ),
  evaluate('a false base is not the end', 'if (base === DENY) return DENY;', ''),
  evaluate('type restrictions are ignored', 'if (!isAllowed(relationship, relation)) return DENY;', ''),
  evaluate('conditions are ignored', 'if (condition === undefined) return ALLOW;', 'return ALLOW;'),
  evaluate('no depth limit', 'if (depth >= this.#maxDepth) return this.#tooDeep(relation, object);', ''),
  evaluate('a shorter path is not tried again', '!(before.isDeep && depth < before.depth)', 'true'),
  evaluate('wildcards are ignored', 'if (this.#wildcard !== undefined &&', 'if (this.#wildcard === "" &&'),
  evaluate('usersets are ignored', 'if (!relation.allowsUsersets) return worst;', 'return worst;'),
  evaluate(
    'from is ignored',
    'return this.#from(rule.tupleset, rule.relation, object, depth);',
    'return DENY;',
  ),
  evaluate(
    'computed relations are ignored',
    'return this.#step(rule.relation, object, depth + 1);',
    'return DENY;',
  ),
  evaluate('direct tuples are ignored', 'return this.#direct(relation, object, depth);', 'return DENY;'),
  evaluate(
    'a userset is not in itself',
    'if (this.#user.userRelation === relation.name && this.#user.userObject === object) return ALLOW;',
    '',
  ),
  evaluate('impossible relations are walked', 'reaches.has(this.#reference) ||', 'reaches.size > 0 ||'),
  evaluate('a loop is false', 'value: CYCLE, isDeep', 'value: DENY, isDeep'),
  evaluate('a loop is true', 'value: CYCLE, isDeep', 'value: ALLOW, isDeep'),
  evaluate(
    'loops are remembered as denials',
    'if (value === ALLOW || value === DENY) {',
    'if (value !== ERROR) {',
  ),
  evaluate(
    'only one pass',
    'value === DENY || this.#newlySettled === 0)',
    'value === DENY || this.#pass > 0)',
  ),
  evaluate(
    'a failing condition is false',
    'if (error instanceof AccessError) return this.#fail(error);',
    'if (error instanceof AccessError) return DENY;',
  ),
  evaluate(
    'a failing condition is true',
    'if (error instanceof AccessError) return this.#fail(error);',
    'if (error instanceof AccessError) return ALLOW;',
  ),
  evaluate('errors end as denials', 'if (value === ERROR) throw', 'if (this.#pass < 0) throw'),
  evaluate(
    'the request wins over the tuple',
    '{ ...this.#parts.context, ...(condition.context ?? noContext) }',
    '{ ...condition.context, ...this.#parts.context }',
  ),
  evaluate(
    'a userset counts without its members',
    'return next === undefined ? DENY : this.#visit(next, relationship.userObject, depth + 1);',
    'return ALLOW;',
  ),
  inFile(
    'check-tuple.ts',
    'any condition is accepted',
    "?.has(relationship.condition?.name ?? '') === true",
    ' !== undefined',
  ),
  inFile(
    'conditions.ts',
    'missing values are not noticed',
    'if (missing.length > 0) {',
    'if (missing.length < 0) {',
  ),
  inFile(
    'conditions.ts',
    'values of a wrong type are not noticed',
    'if (value === undefined) throw',
    'if (name === "") throw',
  ),
  inFile(
    'engine.ts',
    'contextual tuples are not checked',
    'for (const tuple of contextualTuples) checkTuple(tuple, model, conditions);',
    '',
  ),
  inFile(
    'engine.ts',
    'contextual tuples are ignored',
    'tuples = overlay(createMemoryTuples(contextualTuples), source);',
    '',
  ),
  inFile(
    'memory-tuples.ts',
    'stored tuples win',
    'above.find(object, relation, user) ?? below.find(object, relation, user)',
    'below.find(object, relation, user) ?? above.find(object, relation, user)',
  ),
  inFile(
    'list-objects.ts',
    'candidates are not checked',
    'parts.evaluation.isAllowed(target, object)',
    'object !== ""',
  ),
  inFile(
    'list-objects.ts',
    'usersets lead nowhere',
    'if (use?.isUserset === true)',
    'if (use?.isUserset === undefined)',
  ),
  inFile(
    'list-objects.ts',
    'computed relations lead nowhere',
    'for (const computed of use?.computed ?? []) add(computed, object);',
    '',
  ),
  inFile(
    'list-objects.ts',
    'from leads nowhere',
    'tuple.relation === tupleset && tuple.objectType === type',
    'tuple.relation === ""',
  ),
  inFile(
    'list-users.ts',
    'users of any type are listed',
    "if (this.#filter.relation !== '' || this.#filter.type !== userType) return noUsers;",
    '',
  ),
  inFile(
    'list-users.ts',
    'only one pass for users',
    'if (this.#metAgain === 0 || this.#learned === 0) return set;',
    'return set;',
  ),
  inFile('user-set.ts', 'no user is subtracted', 'and([kept, not(dropped)])', 'kept'),
  inFile(
    'user-set.ts',
    'an unknown subtraction is allowed',
    'if (value === CYCLE) return CYCLE;',
    'if (value === CYCLE) return ALLOW;',
  ),
  inFile(
    'user-set.ts',
    'and becomes or for users',
    'return combine(sets, and, ',
    'return combine(sets, or, ',
  ),
];

function evaluate(name: string, text: string, instead: string): Mutant {
  return inFile('evaluate.ts', name, text, instead);
}

function inFile(file: string, name: string, text: string, instead: string): Mutant {
  return { name, file, text, instead };
}
