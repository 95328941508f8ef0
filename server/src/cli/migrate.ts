import type { Terminal } from './command.ts'
import { withDatabase } from './with-database.ts'

/** Opening the database brings its schema up to date. */
export const migrate = ({ out, ...terminal }: Terminal): Promise<void> =>
  withDatabase({ out, ...terminal }, async ({ database }) => out(`the ${database.kind} database is up to date`))
