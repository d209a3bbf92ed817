// Every schema the tables ever had. Never edit a released step: add a new one.

/** The step at index n creates version n + 1. */
export const schemaSteps: readonly string[] = [
  `
  create table tidegate.zones (
    name text collate "C" primary key,
    revision bigint not null,
    floor bigint not null,
    logged bigint not null
  );
  create table tidegate.grants (
    zone text collate "C" not null,
    -- The digest of its three words, which may be longer than an index takes.
    key text collate "C" not null,
    object text collate "C" not null,
    relation text collate "C" not null,
    subject text collate "C" not null,
    condition text,
    created_by text not null,
    created_at bigint not null,
    revision bigint not null,
    primary key (zone, key)
  );
  create index grants_by_subject on tidegate.grants using hash (subject);
  create index grants_by_object on tidegate.grants using hash (object);
  create table tidegate.changes (
    zone text collate "C" not null,
    revision bigint not null,
    place bigint not null,
    change text not null,
    primary key (zone, revision, place)
  );
  create table tidegate.tokens (
    seq bigint generated always as identity,
    id text collate "C" primary key,
    zone text collate "C" not null,
    hash text collate "C" not null unique,
    record text not null,
    revoked_at bigint,
    last_used_at bigint
  );
  create index tokens_by_zone on tidegate.tokens (zone, seq);
  create table tidegate.audit (
    seq bigint generated always as identity primary key,
    zone text collate "C" not null,
    principal text collate "C" not null,
    action text collate "C" not null,
    decision text collate "C" not null,
    record text not null
  );
  create index audit_by_zone on tidegate.audit (zone, seq);
  create index audit_by_principal on tidegate.audit (zone, principal, seq);
  create index audit_by_decision on tidegate.audit (zone, decision, seq);
  `,
  // Delayed records are read and expire by their own time. The text is not parsed as JSON, because a record
  // may hold text that PostgreSQL's JSON rejects; a quote inside a text is preceded by a backslash.
  `
  alter table tidegate.audit add column at bigint not null default 0;
  update tidegate.audit set at = coalesce(substring(record from '"at":([0-9]{1,16})')::bigint, 0);
  drop index tidegate.audit_by_zone;
  drop index tidegate.audit_by_principal;
  drop index tidegate.audit_by_decision;
  create index audit_by_zone on tidegate.audit (zone, at, seq);
  create index audit_by_principal on tidegate.audit (zone, principal, at, seq);
  create index audit_by_decision on tidegate.audit (zone, decision, at, seq);
  `,
  // A revision number does not say which changes led to it, so every revision has an id and every zone an
  // origin.
  `
  alter table tidegate.zones add column history text collate "C" not null default '';
  alter table tidegate.zones add column origin text collate "C" not null default '';
  update tidegate.zones set origin = gen_random_uuid()::text;
  update tidegate.zones set history = gen_random_uuid()::text where revision > 0;
  create table tidegate.histories (
    zone text collate "C" not null,
    history text collate "C" not null,
    revision bigint not null,
    primary key (zone, history)
  );
  create index histories_by_revision on tidegate.histories (zone, revision);
  insert into tidegate.histories select name, history, revision from tidegate.zones where revision > 0;
  `,
];

export const schemaVersion = schemaSteps.length;
