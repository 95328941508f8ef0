import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runKills } from './support/kills/run.ts'
import { exitOnSignals } from './support/own-process.ts'

/** Kills three nodes, their PostgreSQL and the network between them under load, and checks the guarantees. See README.md. */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    /** URL of a PostgreSQL on this machine, whose programs start the cluster of the run. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
  },
})
const { postgres } = values
if (postgres === '') throw new Error('Give the URL of a PostgreSQL on this machine: --postgres URL, or TEST_DATABASE_URL.')
const [kills, seed] = [Number(values.kills), Number(values.seed)]
const folder = mkdtempSync(join(tmpdir(), `gatehouse-kills-${seed}-`))
exitOnSignals()
const { violations, ...report } = await runKills({ kills, seed, postgres, folder, say: console.log })
console.log({ seed, ...report })
for (const violation of violations) console.error(`VIOLATION ${violation}`)
if (violations.length > 0) console.error(`logs and data are in ${folder}`)
process.exit(violations.length === 0 ? 0 : 1)
