import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../bench/support/free-port.ts'
import { startProcess } from '../../../bench/support/own-process.ts'
import { readDemo } from './demo.ts'
import { MAIN, UNOPTIMIZED } from './gatehouse-process.ts'

const START_MS = 90_000
const POLL_MS = 50

export type ServerProcess = Awaited<ReturnType<typeof launchServer>>

interface Readiness {
  readonly status: string
  readonly checks: readonly { readonly name: string; readonly status: string }[]
}

/** Starts a server process without waiting until it is ready. */
export async function launchServer(env: Readonly<Record<string, string>>, main: string = MAIN) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-process-'))
  const port = Number(env.PORT ?? (await freePort()))
  const dataDir = env.GATEHOUSE_DATA ?? folder
  const own = startProcess(main, {
    args: ['serve'],
    nodeArgs: UNOPTIMIZED,
    env: {
      HOST: '127.0.0.1',
      PORT: String(port),
      GATEHOUSE_DATA: dataDir,
      GATEHOUSE_CONFIG: '',
      GATEHOUSE_PROCESSES: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written: string[] = []
  for (const stream of [own.child.stdout, own.child.stderr]) stream?.on('data', (chunk) => void written.push(String(chunk)))
  const base = `http://127.0.0.1:${port}`
  return {
    base,
    own,
    dataDir,
    /** Resolves with the exit code after the process has ended. */
    exitCode: async () => {
      await own.ended
      return own.child.exitCode
    },
    /** Sends the signal and resolves with the exit code. */
    stop: async (signal: NodeJS.Signals = 'SIGTERM') => {
      own.child.kill(signal)
      await own.ended
      return own.child.exitCode
    },
    demo: () => readDemo(dataDir),
    /** The whole standard output and standard error. */
    output: () => written.join(''),
    readyz: async () => {
      try {
        const response = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(5_000) })
        return { status: response.status, body: (await response.json()) as Readiness }
      } catch {
        return undefined
      }
    },
    /** Kills the process and removes its default data folder. */
    remove: async () => {
      await own.kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Starts a server process and waits until it is ready. Throws with its output if it ends or is not ready in time. */
export async function startServerProcess(env: Readonly<Record<string, string>>, main?: string): Promise<ServerProcess> {
  const server = await launchServer(env, main)
  const deadline = performance.now() + START_MS
  while ((await server.readyz())?.status !== 200) {
    if (server.own.hasEnded() || performance.now() > deadline) {
      await server.remove()
      throw new Error(`the server is not ready:\n${server.output().slice(-3_000)}`)
    }
    await sleep(POLL_MS)
  }
  return server
}
