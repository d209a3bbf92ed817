// User name and password end at the first of these, as the host does.
const userinfo = /(:\/\/)[^\s/?#]*@/g;

/** A text whose addresses name no user and no password. */
export function withoutUserinfo(text: string): string {
  return text.replace(userinfo, '$1');
}
