import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { countLost, verifyChain } from './support/ha/checks.ts'
import { startCluster } from './support/ha/cluster.ts'
import { openDebian } from './support/ha/debian.ts'
import { FAULTS, type Setting } from './support/ha/faults.ts'
import { Load } from './support/ha/load.ts'
import { startNodes } from './support/ha/nodes.ts'
import { measureOutage } from './support/ha/outage.ts'
import { type Restored, restoreToTime } from './support/ha/restore.ts'
import { type FaultResult, toMarkdown } from './support/ha/table.ts'
import { exitOnSignals } from './support/own-process.ts'
import { scoped } from './support/scoped.ts'
import { writeBetweenMarks } from './support/table.ts'

/** Time with load after a fault, so that late errors are counted. */
const SETTLE_MS = 5_000

/**
 * Runs two nodes on a PostgreSQL with failover, from the files of deploy/ha, causes faults under load, restores a backup to a point in
 * time, and checks that nothing acknowledged is lost. See README.md. Exits with 1 if something is.
 */
const { values: options } = parseArgs({ options: { write: { type: 'boolean' }, keep: { type: 'boolean' } } })
exitOnSignals()
await scoped(async (stack) => {
  const debian = await openDebian()
  if (!options.keep) stack.defer(() => debian.dispose())
  const say = (text: string) => console.log(`${Math.round(performance.now() / 1_000)} s: ${text}`)
  say(`logs are in ${debian.home.outside}`)
  const cluster = await startCluster(stack, debian)
  say('the cluster runs')
  const nodes = await startNodes(stack, cluster)
  const load = new Load()
  stack.defer(() => load.stop())
  load.start(nodes.all, nodes.conversation)
  const setting = { cluster, nodes, load }
  await sleep(SETTLE_MS)
  const results: FaultResult[] = []
  for (const { name, cause } of FAULTS) {
    const from = performance.now()
    await cause(setting)
    await sleep(SETTLE_MS)
    const result = { name, ...measureOutage(load.calls, from, performance.now()), ...(await lostOf(setting)) }
    results.push(result)
    say(JSON.stringify({ ...result, errors: [...result.errors] }))
  }
  const restored = await restoreToTime(stack, debian, setting)
  await load.stop()
  const chain = await verifyChain(nodes, cluster.url('gatehouse_session'))
  say(chain.trim())
  report(results, restored)
})

async function lostOf({ cluster, load }: Setting) {
  const { leader } = await cluster.complete()
  return countLost(load, (text, values) => leader.query(text, values, 'gatehouse'))
}

function report(results: readonly FaultResult[], restored: Restored): void {
  const table = toMarkdown(results, restored)
  console.log(table)
  if (options.write) writeBetweenMarks(new URL('README.md', import.meta.url), 'ha', table)
  process.exitCode = [...results, restored].every(({ lost }) => lost === 0) ? 0 : 1
}
