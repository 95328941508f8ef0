import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../bench/support/free-port.ts'

/** Where neither program is installed, the tests of Valkey are skipped; `.ci/run` installs one. */
export const VALKEY_PROGRAM = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)

export interface ValkeyServer {
  readonly url: string
  readonly pid: number
  /** Ends the server. `start` starts an empty one on the same port. */
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Starts a Valkey or Redis on a free port of 127.0.0.1, without persistence. */
export async function startValkey(): Promise<ValkeyServer> {
  if (VALKEY_PROGRAM === undefined) throw new Error('neither valkey-server nor redis-server is installed')
  const program = VALKEY_PROGRAM
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-valkey-'))
  const run = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
    const child = spawn(program, options, { stdio: 'ignore' })
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`${program} has ended with ${child.exitCode}`)
      await sleep(20)
    }
    return child
  }
  let child = await run()
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return child.pid as number
    },
    stop,
    start: async () => {
      child = await run()
    },
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
