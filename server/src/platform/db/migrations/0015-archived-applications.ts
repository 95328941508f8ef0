import { execute } from './execute.ts'

/** archived_at: since then the Application has no valid key and accepts no requests; null: it is in use. */
export const up = execute(['alter table application add column archived_at timestamptz'])
