import { sql } from 'kysely'
import { MIGRATIONS } from '../../src/platform/db/migrations/index.ts'

/** The server as a possible next version: with two more migrations of tables that every request uses. */
Object.assign(MIGRATIONS, {
  '9998-next': {
    up: async (db: never) => {
      for (const table of ['audit_record', 'audit_head', 'application', 'api_key', 'workspace', 'message', 'review_item'])
        await sql`alter table ${sql.table(table)} add column next_version text`.execute(db)
      await sql`create table next_version (id uuid primary key)`.execute(db)
    },
  },
  '9999-next-index': {
    inTransaction: false,
    up: async (db: never) =>
      void (await sql`create index concurrently if not exists message_next on message (next_version)`.execute(db)),
  },
})

await import('../../src/main.ts')
