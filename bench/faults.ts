import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { toMarkdown } from './support/faults/callers.ts'
import { measureNodeFaults } from './support/faults/node-faults.ts'
import { measureRolling } from './support/faults/rolling.ts'
import { freePort } from './support/free-port.ts'
import { startHelper } from './support/helper-process.ts'
import { Postgres } from './support/kills/postgres.ts'
import { findPrograms } from './support/kills/postgres-programs.ts'
import { exitOnSignals } from './support/own-process.ts'
import { scoped } from './support/scoped.ts'
import { writeBetweenMarks } from './support/table.ts'

/** Measures what callers of three nodes see while one node or the database fails, or each node is replaced. See README.md. */
const { values } = parseArgs({
  options: {
    /** URL of a PostgreSQL on this machine, whose programs start the cluster of the run. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
    /** How long a fault lasts. */
    seconds: { type: 'string', default: '10' },
    /** Only faults whose row begins with this text. */
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})
if (values.postgres === '') throw new Error('Give the URL of a PostgreSQL on this machine: --postgres URL, or TEST_DATABASE_URL.')
exitOnSignals()
await scoped(async (stack) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const provider = stack.use(await startHelper(new URL('./support/provider.ts', import.meta.url)))
  const programs = await findPrograms(values.postgres)
  const data = programs.temporary(basename(folder))
  const postgres = new Postgres(programs, { data, port: await freePort(), log: join(folder, 'database.log'), onStart: () => {} })
  stack.defer(async () => {
    await postgres.stop()
    postgres.remove()
  })
  await postgres.create()
  const options = {
    postgres,
    folder,
    providerPort: provider.port,
    seconds: Number(values.seconds),
    only: values.only,
    say: console.log,
  }
  const faults = await scoped((inner) => measureNodeFaults(inner, options))
  const table = toMarkdown([...faults, ...(await measureRolling(options))])
  console.log(table)
  if (values.write) writeBetweenMarks(new URL('README.md', import.meta.url), 'faults', table)
})
process.exit(0)
