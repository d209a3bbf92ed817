/** The indexes of the highest scores above 0, and how many scores are above 0. Ties keep their order. */
export function best(
  scores: Float64Array,
  limit: number,
  meets: (doc: number) => boolean,
): { readonly docs: readonly number[]; readonly total: number } {
  const docs: number[] = [];
  let total = 0;
  let least = 0;
  for (let doc = 0; doc < scores.length; doc += 1) {
    const score = scores[doc] ?? 0;
    if (score <= 0 || !meets(doc)) continue;
    total += 1;
    if (docs.length >= limit && score <= least) continue;
    let at = docs.length;
    while (at > 0 && (scores[docs[at - 1] ?? 0] ?? 0) < score) at -= 1;
    docs.splice(at, 0, doc);
    if (docs.length > limit) docs.pop();
    least = scores[docs.at(-1) ?? 0] ?? 0;
  }
  return { docs, total };
}
