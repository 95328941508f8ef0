import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startGatehouse } from './support/gatehouse.ts'
import { exitOnSignals } from './support/own-process.ts'
import { residentMb } from './support/process-stats.ts'
import { startGateway, startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { passes, type Row, toMarkdown, writeBetweenMarks } from './support/table.ts'

/** Memory of a server without requests: after the first start, which creates the demo, and after a restart. Exits with 1 when a bar is missed. */
const { values } = parseArgs({
  options: {
    /** Time from the first health check to the measurement. */
    seconds: { type: 'string', default: '30' },
    write: { type: 'boolean', default: false },
    /** URL of a PostgreSQL on which the benchmark creates databases. */
    postgres: { type: 'string', default: process.env.TEST_DATABASE_URL ?? '' },
  },
})

const BARS = { embedded: { bar: 350, aim: 250 }, postgresql: { bar: 180, aim: 120 } }

async function idleRows(stack: AsyncDisposableStack, kind: keyof typeof BARS, postgres?: string): Promise<Row[]> {
  const ms = Number(values.seconds) * 1_000
  const { gatehouse, options } = await startGateway(stack, await startRig(stack), `idle-${kind}`, { postgres })
  await sleep(ms)
  const first = residentMb(gatehouse.pid)
  await gatehouse.stop()
  const again = stack.use(await startGatehouse(options))
  await sleep(ms)
  const restarted = residentMb(again.pid)
  const row = (what: string, measured: number): Row => ({ what, unit: ' MB', ...BARS[kind], measured, digits: 0 })
  return [row(`${kind}: first start, with the demo`, first), row(`${kind}: restart`, restarted)]
}

exitOnSignals()
const rows = await scoped((stack) => idleRows(stack, 'embedded'))
if (values.postgres !== '') rows.push(...(await scoped((stack) => idleRows(stack, 'postgresql', values.postgres))))
console.log(toMarkdown(rows))
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'idle', `\n${toMarkdown(rows)}\n`)
process.exitCode = rows.every(passes) ? 0 : 1
