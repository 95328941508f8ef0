import { setTimeout as sleep } from 'node:timers/promises'
import { startBalancer } from '../../../server/test/support/balancer.ts'
import { checkOutLastRelease } from '../../../server/test/support/last-release.ts'
import { prepareApplication } from '../admin.ts'
import { type Gatehouse, type GatehouseOptions, startGatehouse } from '../gatehouse.ts'
import { Load } from '../ha/load.ts'
import { startConversation } from '../ha/nodes.ts'
import { type FaultView, viewFault } from './callers.ts'
import type { FaultOptions } from './node-faults.ts'

const BETWEEN_MS = 3_000
/** Longer than the balancer takes to see that a node is not ready. */
const DRAIN_SECONDS = '4'
/** The last release refuses variables that it does not know; an empty one counts as unset. */
const LAST_RELEASE_ENV = {
  ...{ GATEHOUSE_PROCESSES: '', GATEHOUSE_DRAIN_SECONDS: '', GATEHOUSE_STOP_SECONDS: '' },
  GATEHOUSE_DRAIN_DELAY_MS: '4000',
}

interface Rolling {
  readonly name: string
  readonly database: string
  /** The servers at the beginning, and those that replace them one after the other. */
  readonly before: Partial<GatehouseOptions>
}

/** Replaces each of three nodes behind a balancer: by the same version, and the last release by this one. */
export async function measureRolling(stack: AsyncDisposableStack, options: FaultOptions): Promise<FaultView[]> {
  const last = checkOutLastRelease()
  stack.defer(() => last.remove())
  const program = { script: new URL(`file://${last.main}`), args: ['serve'] }
  const rollings: readonly Rolling[] = [
    { name: 'rolling restart of three nodes', database: 'restart', before: {} },
    { name: 'rolling upgrade of three nodes', database: 'upgrade', before: { program, env: LAST_RELEASE_ENV } },
  ]
  const views: FaultView[] = []
  for (const rolling of rollings.filter(({ name }) => name.startsWith(options.only))) {
    views.push(await replaceNodes(rolling, options))
    options.say(JSON.stringify(views.at(-1), (_key, value) => (value instanceof Map ? [...value] : value)))
  }
  return views
}

async function replaceNodes({ name, database, before }: Rolling, options: FaultOptions): Promise<FaultView> {
  const shared: GatehouseOptions = {
    dataDir: `${options.folder}/${database}`,
    providerPort: options.providerPort,
    databaseUrl: await options.postgres.createDatabase(database),
    logLevel: 'warn',
    env: { GATEHOUSE_DRAIN_SECONDS: DRAIN_SECONDS },
  }
  const balancer = await startBalancer()
  const running: Gatehouse[] = []
  const start = async (more: Partial<GatehouseOptions>): Promise<Gatehouse> => {
    const server = await startGatehouse({ ...shared, ...more, env: { ...shared.env, ...more.env } })
    running.push(server)
    balancer.add(`http://127.0.0.1:${server.port}`)
    return server
  }
  try {
    const olds: Gatehouse[] = []
    for (let node = 0; node < 3; node++) olds.push(await start(before))
    await balancer.ready(olds.length)
    const entrance = { port: Number(new URL(balancer.base).port), demo: olds[0]?.demo ?? raise() }
    await prepareApplication(entrance)
    const load = new Load()
    load.start([{ name, server: entrance }], await startConversation(entrance))
    await sleep(BETWEEN_MS)
    const from = performance.now()
    for (const old of olds) {
      await start({})
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
