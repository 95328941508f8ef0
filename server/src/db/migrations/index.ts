import type { Migration } from 'kysely/migration'
import * as gateway from './0001-gateway.ts'
import * as retrieval from './0002-retrieval.ts'

/** Forward only; a landed migration is never edited. Names sort in the order they run. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-gateway': gateway,
  '0002-retrieval': retrieval,
}
