import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Gatehouse, type GatehouseOptions, NODE_ARGS, startGatehouse } from './gatehouse.ts'
import type { Target } from './measure.ts'
import { type Peer, startPeer } from './peer.ts'
import { createScratchDatabase, type ScratchDatabase } from './scratch-database.ts'

/** What stands around the gateway in every run; each part is a process of its own on 127.0.0.1. */
export interface Rig {
  readonly provider: Peer
  readonly proxy: Peer
  readonly load: Peer
  /** A folder that is removed at the end. */
  readonly folder: string
}

/** Lives as long as `stack`. */
export async function startRig(stack: AsyncDisposableStack): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const provider = stack.use(await startPeer(new URL('./provider.ts', import.meta.url)))
  const proxy = stack.use(await startPeer(new URL('./proxy.ts', import.meta.url), [String(provider.port)], NODE_ARGS))
  const load = stack.use(await startPeer(new URL('./load.ts', import.meta.url)))
  return { provider, proxy, load, folder }
}

/** A gateway with a database of its own, as something to measure. */
export interface GatewayUnderTest {
  readonly gatehouse: Gatehouse
  readonly options: GatehouseOptions
  readonly target: Target
}

/** Lives as long as `stack`. `postgres`: the server on which to make a database; absent: embedded. */
export async function startGateway(
  stack: AsyncDisposableStack,
  rig: Pick<Rig, 'folder' | 'provider'>,
  name: string,
  { postgres, ...more }: Partial<GatehouseOptions> & { readonly postgres?: string | undefined } = {},
): Promise<GatewayUnderTest> {
  const database: ScratchDatabase | undefined = postgres ? stack.use(await createScratchDatabase(postgres)) : undefined
  const options = { dataDir: join(rig.folder, name), providerPort: rig.provider.port, databaseUrl: database?.url, ...more }
  const gatehouse = stack.use(await startGatehouse(options))
  const [application] = gatehouse.demo.applications
  const target = {
    pid: gatehouse.pid,
    port: gatehouse.port,
    headers: { authorization: `Bearer ${application?.api_key}` },
    ...(database && { helpers: () => database.backends() }),
  }
  return { gatehouse, options, target }
}
