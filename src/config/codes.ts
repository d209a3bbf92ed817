export type Severity = 'error' | 'warning';

interface CodeEntry {
  readonly meaning: string;
  /** What to do when the place that reports it knows nothing better. */
  readonly remedy: string;
}

/** Every problem that configuration, trust and the state directory can report. Codes never change. */
export const problemCodes = {
  'config.unreadable': {
    meaning: 'The file cannot be read.',
    remedy: 'Check that the path names a regular file that you may read.',
  },
  'config.too_large': {
    meaning: 'The file, or what its aliases expand to, is larger than any configuration needs to be.',
    remedy: 'Make the file smaller, or repeat less with aliases.',
  },
  'config.too_deep': {
    meaning: 'The file is nested deeper than any configuration needs to be.',
    remedy: 'Remove the nesting.',
  },
  'config.not_utf8': { meaning: 'The file is not UTF-8 text.', remedy: 'Save the file as UTF-8.' },
  'config.syntax': {
    meaning: 'The file is not well-formed YAML or JSON.',
    remedy: 'Correct the syntax here.',
  },
  'config.duplicate_key': {
    meaning: 'The same key stands twice in one mapping.',
    remedy: 'Keep one of the two.',
  },
  'config.unknown_key': {
    meaning: 'The key is not part of the configuration.',
    remedy: 'Remove it, or correct its spelling.',
  },
  'config.wrong_type': {
    meaning: 'The value is of another kind than the key takes.',
    remedy: 'Write a value of the kind that the message names.',
  },
  'config.bad_value': {
    meaning: 'The value is of the right kind but not one that works.',
    remedy: 'Write a value that the message allows.',
  },
  'config.bad_name': {
    meaning: 'A name that you chose (of a server, variable or header) has characters that names cannot have.',
    remedy: 'Choose another name.',
  },
  'config.missing': { meaning: 'A key that is needed here is absent.', remedy: 'Add the key.' },
  'config.exclusive': {
    meaning: 'Two keys stand together that exclude each other.',
    remedy: 'Keep one of them.',
  },
  'config.env_missing': {
    meaning: 'The file refers to an environment variable that is not set.',
    remedy:
      'Set the variable, keep its value with `tidegate secrets set NAME`, or give a default: ${NAME:-default}.',
  },
  'config.env_syntax': {
    meaning: 'A `${` is not a reference to an environment variable.',
    remedy: 'Write ${NAME} or ${NAME:-default}, or $${ for the two characters themselves.',
  },
  'config.unsupported': {
    meaning: 'The value is known, but Tidegate does not support it.',
    remedy: 'Use what the message names instead.',
  },
  'config.auth_none_not_loopback': {
    meaning: '`http.auth: none` together with a host that other machines can reach.',
    remedy: 'Use `auth: token`, or listen on 127.0.0.1.',
  },
  'config.collision': { meaning: 'Two servers have the same name.', remedy: 'Rename one of them.' },
  'config.too_many_problems': {
    meaning: 'There are more problems than are reported at once.',
    remedy: 'Solve the ones above first.',
  },
  'config.relative_home': {
    meaning: 'TIDEGATE_HOME is a relative path, which names another directory for each command.',
    remedy: 'Set TIDEGATE_HOME to an absolute path.',
  },
  'state.unsafe': {
    meaning: 'Other users of this machine can change the state directory.',
    remedy: 'Choose a directory of your own with TIDEGATE_HOME, or correct its owner and permissions.',
  },
  'state.unwritable': {
    meaning: 'The state directory cannot be made or written.',
    remedy: 'Make it writable, or choose another one with TIDEGATE_HOME.',
  },
  'trust.unsafe': {
    meaning: 'Another user could have written the record of trusted files. Nothing is trusted.',
    remedy: 'Look at who changed it, remove it, and run `tidegate trust` again.',
  },
  'trust.corrupt': {
    meaning: 'The record of trusted files cannot be understood. Nothing is trusted.',
    remedy: 'Remove it, and run `tidegate trust` again.',
  },
  'trust.unwritable': {
    meaning: 'The record of trusted files could not be changed.',
    remedy: 'Check that the state directory is writable, then try again.',
  },
  'secrets.unsafe': {
    meaning: 'Another user could have read or written the file of secrets. None of it is used.',
    remedy:
      'Take the rights of others away (chmod 600), and change the secrets if others may have read them.',
  },
  'secrets.corrupt': {
    meaning: 'The file of secrets cannot be understood. None of it is used.',
    remedy: 'Remove it, and keep the values again with `tidegate secrets set <name>`.',
  },
  'secrets.unwritable': {
    meaning: 'The file of secrets could not be changed.',
    remedy: 'Check that the state directory is writable, then try again.',
  },
  'profiles.ambiguous': {
    meaning: 'There is more than one file of profiles.',
    remedy: 'Keep one of them, or name one with `access.profiles` in tidegate.yaml.',
  },
  'profiles.untrusted': {
    meaning:
      'Nobody trusted the file of profiles, or the model, as it is now. What is shipped applies in its place.',
    remedy: 'Read it, then run `tidegate trust`.',
  },
  'profiles.changed': {
    meaning:
      'A file of profiles, or a model, that was trusted has changed since, or is gone. Nobody can say what applies.',
    remedy: 'Read it, then run `tidegate trust`; or take the trust back with `tidegate trust --forget`.',
  },
  'profiles.cycle': {
    meaning: 'Profiles extend each other in a circle.',
    remedy: 'Remove one of the `extends`.',
  },
  'profiles.unknown_parent': {
    meaning: 'A profile extends one that does not exist.',
    remedy: 'Correct the name, or add the profile.',
  },
  'profiles.duplicate': {
    meaning: 'The same profile or principal stands twice.',
    remedy: 'Keep one of the two.',
  },
  'profiles.unknown_default': {
    meaning: 'The default profile does not exist.',
    remedy: 'Name a profile that exists, or `none`.',
  },
  'profiles.unknown_profile': {
    meaning: 'A principal has a profile that does not exist.',
    remedy: 'Correct the name, or add the profile.',
  },
  'profiles.bad_name': {
    meaning: 'The text cannot be the name of a profile.',
    remedy: 'Use letters, digits, `_`, `.` and `-`, at most 64 of them, and not `none`.',
  },
  'profiles.bad_entry': {
    meaning: 'The text names no tool and no group of tools.',
    remedy:
      'Write a name (`Read`), a pattern (`find_*`), `server:<name>`, `server:<name>/<tool>`, `plugin:<name>` or `tier:<1 to 5>`, with `!` before it to block.',
  },
  'profiles.bad_principal': {
    meaning: 'The text is not a principal.',
    remedy: 'Write it like agent:alice, user:ana or service:ci.',
  },
  'profiles.too_many': {
    meaning: 'There are more profiles, principals, entries or patterns than a file of policy may have.',
    remedy:
      'Use patterns and groups in place of long lists, and grants in place of rules for single principals.',
  },
  'profiles.unknown_tool': {
    meaning: 'The entry fits no tool that is there now.',
    remedy: 'Correct the name, or leave it if the tool comes later.',
  },
  'access.bad_model': {
    meaning: 'The file that extends the authorization model cannot be used.',
    remedy: 'Correct the model here.',
  },
  'plugins.bad_manifest': {
    meaning: 'The manifest of a plugin cannot be used as it is.',
    remedy: 'Correct `plugin.yaml` here.',
  },
  'plugins.bad_entry': {
    meaning: 'An entry of `plugins.yaml` cannot be used as it is.',
    remedy: 'Correct the entry here.',
  },
  'plugins.unusable': {
    meaning: 'A plugin cannot be used: its program, its folder, its checksum or its settings are not right.',
    remedy: 'Do what the message says, then look again with `tidegate plugin list`.',
  },
  'tools.name_clash': {
    meaning: 'Two tools that run here have the same name.',
    remedy: 'Give one of them another name.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ProblemCode = keyof typeof problemCodes;
