// Every schema the file ever had. Never edit a released step: add a new one.

/** `TGAT` in the header of the file says that it is ours. */
const applicationId = 0x54474154;

/** The step at index n creates version n + 1. */
export const schemaSteps: readonly string[] = [
  `
  pragma application_id = ${applicationId};
  create table schema_versions (
    version integer primary key,
    program text not null,
    applied_at integer not null
  ) strict;
  create table zones (
    name text primary key,
    revision integer not null,
    floor integer not null,
    logged integer not null
  ) strict, without rowid;
  create table grants (
    zone text not null,
    object text not null,
    relation text not null,
    user text not null,
    condition text,
    created_by text not null,
    created_at integer not null,
    revision integer not null,
    primary key (zone, object, relation, user)
  ) strict, without rowid;
  create index grants_by_user on grants (zone, user, relation);
  create table changes (
    zone text not null,
    revision integer not null,
    place integer not null,
    change text not null,
    primary key (zone, revision, place)
  ) strict, without rowid;
  create table tokens (
    seq integer primary key autoincrement,
    id text not null unique,
    zone text not null,
    hash text not null unique,
    record text not null,
    revoked_at integer,
    last_used_at integer
  ) strict;
  create index tokens_by_zone on tokens (zone, seq);
  create table audit (
    seq integer primary key autoincrement,
    zone text not null,
    principal text not null,
    action text not null,
    decision text not null,
    record text not null
  ) strict;
  create index audit_by_zone on audit (zone, seq);
  create index audit_by_principal on audit (zone, principal, seq);
  create index audit_by_decision on audit (zone, decision, seq);
  `,
  // Delayed records are read and expire by their own time.
  `
  alter table audit add column at integer not null default 0;
  update audit set at = coalesce(cast(json_extract(record, '$.at') as integer), 0);
  drop index audit_by_zone;
  drop index audit_by_principal;
  drop index audit_by_decision;
  create index audit_by_zone on audit (zone, at, seq);
  create index audit_by_principal on audit (zone, principal, at, seq);
  create index audit_by_decision on audit (zone, decision, at, seq);
  `,
  // A revision number does not say which changes led to it, so every revision has an id and every zone an
  // origin.
  `
  alter table zones add column history text not null default '';
  alter table zones add column origin text not null default '';
  update zones set history = hex(randomblob(16)), origin = hex(randomblob(16));
  create table histories (
    zone text not null,
    history text not null,
    revision integer not null,
    primary key (zone, history)
  ) strict, without rowid;
  create index histories_by_revision on histories (zone, revision);
  insert into histories select name, history, revision from zones;
  `,
];

export const schemaVersion = schemaSteps.length;
