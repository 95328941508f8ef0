import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Gatehouse, type GatehouseOptions, NODE_ARGS, startGatehouse } from './gatehouse.ts'
import { type Helper, startHelper } from './helper-process.ts'
import type { Target } from './measure.ts'
import { createScratchDatabase, type ScratchDatabase } from './scratch-database.ts'

/** The provider, proxy and load generator of a run, each a process on 127.0.0.1. */
export interface Rig {
  readonly provider: Helper
  readonly proxy: Helper
  readonly load: Helper
  /** A folder that is removed at the end. */
  readonly folder: string
}

/** Starts the processes and stops them with `stack`. */
export async function startRig(stack: AsyncDisposableStack): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const provider = stack.use(await startHelper(new URL('./provider.ts', import.meta.url)))
  const proxy = stack.use(await startHelper(new URL('./proxy.ts', import.meta.url), [String(provider.port)], NODE_ARGS))
  const load = stack.use(await startHelper(new URL('./load.ts', import.meta.url)))
  return { provider, proxy, load, folder }
}

/** A gateway with its own database. */
export interface GatewayUnderTest {
  readonly gatehouse: Gatehouse
  readonly options: GatehouseOptions
  readonly target: Target
}

/** Starts a gateway and stops it with `stack`. `postgres`: URL of a PostgreSQL. Absent: the embedded database. */
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
