import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { LONG_MODEL, MODEL } from './chat-bodies.ts'
import { freePort } from './free-port.ts'
import { NODE_COMPILE_CACHE, type OwnProcess, startProcess } from './own-process.ts'

/** The used fields of `<data>/demo.json`. */
interface Demo {
  readonly base_url: string
  readonly admin_token: string
  readonly applications: readonly { readonly id: string; readonly name: string; readonly api_key: string }[]
  readonly users: readonly { readonly id: string; readonly user_token: string }[]
}

export interface GatehouseOptions {
  readonly dataDir: string
  /** Port of the provider on 127.0.0.1. */
  readonly providerPort: number
  /** Absent: the embedded database in dataDir. */
  readonly databaseUrl?: string | undefined
  readonly logLevel?: string
  /** A program that replaces the server, with the same environment and endpoints. */
  readonly program?: { readonly script: URL; readonly args: readonly string[] }
}

/** A Gatehouse server in a separate process that is ready. */
export interface Gatehouse extends OwnProcess {
  readonly port: number
  readonly demo: Demo
}

/** The arguments of scripts/gatehouse, which the bare proxy gets too. */
export const NODE_ARGS: readonly string[] = [
  '--max-semi-space-size=32',
  '--heap-growing-percent=300',
  '--no-memory-reducer',
  '--expose-gc',
]

/** Settings of glibc, as in scripts/gatehouse. */
export const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '2' } as const

const SERVER = { script: new URL('../../server/dist/main.mjs', import.meta.url), args: ['serve'] }
/** The first start of the embedded database takes 8 s of CPU. The server itself stops after 180 s. */
const START_MS = 240_000
/** A database must always get the same key. */
const SECRET_KEY = 'only-for-benchmarks-and-crash-tests'

/** Environment of a server on 127.0.0.1, and of its command line. */
export const gatehouseEnv = ({ dataDir, providerPort, databaseUrl, logLevel }: GatehouseOptions, port: number) => ({
  HOST: '127.0.0.1',
  PORT: String(port),
  GATEHOUSE_DATA: dataDir,
  OPENAI_API_KEY: 'mock-provider-key',
  OPENAI_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
  OPENAI_MODELS: `${MODEL},${LONG_MODEL}`,
  // Benchmarks add providers on this machine.
  GATEHOUSE_ALLOW_PRIVATE_URLS: 'true',
  LOG_LEVEL: logLevel ?? 'info',
  // There is no load balancer.
  GATEHOUSE_DRAIN_SECONDS: '0',
  GATEHOUSE_STOP_SECONDS: '15',
  // The figures are those of one process.
  GATEHOUSE_PROCESSES: '1',
  // As in scripts/gatehouse.
  ...ALLOCATOR,
  NODE_COMPILE_CACHE,
  ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, GATEHOUSE_SECRET_KEY: SECRET_KEY, GATEHOUSE_DEMO: '1' }),
})

/** Starts the server without waiting until it is ready. Its output goes to `<dataDir>.log`. */
export async function launchGatehouse(options: GatehouseOptions): Promise<{ own: OwnProcess; port: number }> {
  const { script, args } = options.program ?? SERVER
  const port = await freePort()
  const log = openSync(`${options.dataDir}.log`, 'a')
  try {
    const own = startProcess(fileURLToPath(script), {
      args,
      nodeArgs: NODE_ARGS,
      env: gatehouseEnv(options, port),
      stdio: ['ignore', log, log],
    })
    return { own, port }
  } finally {
    closeSync(log)
  }
}

/** Starts the server and waits until it is ready. Throws with its state and the end of its log if it ends or takes too long. */
export async function startGatehouse(options: GatehouseOptions): Promise<Gatehouse> {
  const { own, port } = await launchGatehouse(options)
  const started = performance.now()
  const deadline = started + START_MS
  for (let answer = await askReady(port); answer !== READY; answer = await askReady(port)) {
    if (own.hasEnded() || performance.now() > deadline) {
      const { exitCode, signalCode } = own.child
      const state = own.hasEnded()
        ? `it ended with ${signalCode ?? `exit code ${exitCode}`}`
        : `it still runs; /readyz: ${answer}`
      await own.kill()
      const seconds = Math.round((performance.now() - started) / 1_000)
      const log = readFileSync(`${options.dataDir}.log`, 'utf8').slice(-2_000)
      throw new Error(
        `the server did not get ready in ${seconds} s: ${state}. Load average ${loadavg()[0]}. Log:\n${log || '(empty)'}`,
      )
    }
    await sleep(5)
  }
  const file = join(options.dataDir, 'demo.json')
  while (!existsSync(file) && performance.now() < deadline) await sleep(5)
  return { ...own, port, demo: JSON.parse(readFileSync(file, 'utf8')) as Demo }
}

const READY = 'ready'

/** `ready`, or why not: the answer with status 503, or what the connection failed with. */
const askReady = (port: number): Promise<string> =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    async (response) => {
      const body = await response.text()
      return response.ok ? READY : `${response.status} ${body}`
    },
    (error: Error) => String((error.cause as Error | undefined)?.message ?? error.message),
  )
