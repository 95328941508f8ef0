import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runMessagingCrash } from './support/messaging-crash-run.ts'
import { exitOnSignals } from './support/own-process.ts'

/** Kills the server while eight people write and two listen. See README.md. Exits with 1 on a violation. */
const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    postgres: { type: 'string' },
  },
})

exitOnSignals()
console.log(`seed ${values.seed}, ${values.postgres ? 'PostgreSQL' : 'embedded database'}`)
const started = performance.now()
const report = await runMessagingCrash({
  times: Number(values.times),
  seed: Number(values.seed),
  postgres: values.postgres,
  say: console.log,
})
const { violations, ...counts } = report
console.log({ seed: Number(values.seed), ...counts, seconds: Math.round((performance.now() - started) / 1_000) })
for (const violation of violations) console.error(`VIOLATION ${violation}`)
process.exitCode = violations.length === 0 ? 0 : 1
