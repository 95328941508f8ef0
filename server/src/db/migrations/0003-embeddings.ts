import { type Kysely, sql } from 'kysely'

/** Embedding models. The tables of vectors need an extension: retrieval/semantic/prepare-vectors.ts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table embedding_model (
    id integer generated always as identity primary key,
    name text not null,
    dimensions integer not null,
    shortened boolean not null,
    state text not null check (state in ('building', 'ready', 'retired')),
    changed_at timestamptz not null default now(),
    indexed boolean not null default false,
    leased_by uuid,
    leased_until timestamptz not null default now(),
    unique (name, dimensions)
  )`,
    )
    .execute(db)
}
