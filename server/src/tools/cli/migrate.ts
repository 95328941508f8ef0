import type { Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

/** `gatehouse migrate`: opening the database runs the migrations. */
export const migrate = ({ out, ...terminal }: Terminal): Promise<void> =>
  withDatabase({ out, ...terminal }, async ({ database }) => out(`the ${database.kind} database is up to date`))
