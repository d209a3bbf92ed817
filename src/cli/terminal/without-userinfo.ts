// The user information and the host end at the first of these characters.
const userinfo = /(:\/\/)[^\s/?#]*@/g;

/** Removes user names and passwords from URLs in a text. */
export function withoutUserinfo(text: string): string {
  return text.replace(userinfo, '$1');
}
