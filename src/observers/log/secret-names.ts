/** Parts of a name that make its value a secret, anywhere in the name. */
const secretParts =
  /authorization|passw(?:or)?d|passphrase|secret|apikey|accesskey|privatekey|signingkey|encryptionkey|cookie|credential|bearer|sessionid|csrf|xsrf/;
/** Words that make a value a secret only at the end of its name: `maxTokens` and `tokenizer` are harmless. */
const secretEnds = /(?:token|jwt|pwd|otp|signature)$/;
const secretWholes: ReadonlySet<string> = new Set(['auth', 'pass', 'pw', 'pin', 'sig', 'sas']);
const maxNameLength = 128;

/** Whether a field, variable, header or flag of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const plain = name
    .slice(-maxNameLength)
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
  return secretParts.test(plain) || secretEnds.test(plain) || secretWholes.has(plain);
}
