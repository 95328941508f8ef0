import { setTimeout as sleep } from 'node:timers/promises'
import { startBalancer } from '../../../server/test/support/balancer.ts'
import { prepareApplication } from '../admin.ts'
import { type Gatehouse, type GatehouseOptions, startGatehouse } from '../gatehouse.ts'
import { Load } from '../ha/load.ts'
import { startConversation } from '../ha/nodes.ts'
import { type FaultView, viewFault } from './callers.ts'
import type { FaultOptions } from './node-faults.ts'

const BETWEEN_MS = 3_000
/** Longer than the balancer takes to see that a node is not ready. */
const DRAIN_SECONDS = '4'

/** Replaces each of three nodes behind a balancer by another one of the same version. */
export async function measureRolling(options: FaultOptions): Promise<FaultView[]> {
  const name = 'rolling restart of three nodes'
  if (!name.startsWith(options.only)) return []
  const view = await replaceNodes(name, options)
  options.say(JSON.stringify(view, (_key, value) => (value instanceof Map ? [...value] : value)))
  return [view]
}

async function replaceNodes(name: string, options: FaultOptions): Promise<FaultView> {
  const shared: GatehouseOptions = {
    dataDir: `${options.folder}/restart`,
    providerPort: options.providerPort,
    databaseUrl: await options.postgres.createDatabase('restart'),
    logLevel: 'warn',
    env: { GATEHOUSE_DRAIN_SECONDS: DRAIN_SECONDS },
  }
  const balancer = await startBalancer()
  const running: Gatehouse[] = []
  const start = async (): Promise<Gatehouse> => {
    const server = await startGatehouse(shared)
    running.push(server)
    balancer.add(`http://127.0.0.1:${server.port}`)
    return server
  }
  try {
    const olds: Gatehouse[] = []
    for (let node = 0; node < 3; node++) olds.push(await start())
    await balancer.ready(olds.length)
    const entrance = { port: Number(new URL(balancer.base).port), demo: olds[0]?.demo ?? raise() }
    await prepareApplication(entrance)
    const load = new Load()
    load.start([{ name, server: entrance }], await startConversation(entrance))
    await sleep(BETWEEN_MS)
    const from = performance.now()
    for (const old of olds) {
      await start()
      await balancer.ready(olds.length + 1)
      await old.stop()
      await sleep(BETWEEN_MS)
    }
    const repaired = performance.now()
    await load.stop()
    return viewFault(name, load.calls, { from, repaired })
  } finally {
    for (const server of running) await server.stop()
    await balancer.close()
  }
}

function raise(): never {
  throw new Error('there are no nodes')
}
