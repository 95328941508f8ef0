import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { vi } from 'vitest'

const GATEHOUSE = join(import.meta.dirname, '../../../scripts/gatehouse')

/** A server process started with scripts/gatehouse. Its standard error is not a terminal. */
export type GatehouseProcess = Awaited<ReturnType<typeof startGatehouse>>

function launch(cwd: string, env: Record<string, string>, args: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(GATEHOUSE, args, { cwd, env: { PATH, HOME, PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (text.out += chunk))
  child.stderr.on('data', (chunk) => (text.err += chunk))
  return { child, text, ended: once(child, 'close') as Promise<[number | null]> }
}

/** Starts `gatehouse serve` in the folder `cwd` and resolves after the greeting. Throws with the output if the process ends first. */
export async function startGatehouse(cwd: string, env: Record<string, string>) {
  const { child, text, ended } = launch(cwd, env, ['serve'])
  let base: string | undefined
  await vi.waitFor(
    () => {
      if (child.exitCode !== null) return
      base = /Gatehouse is running at (\S+)\n[\s\S]*API/.exec(text.err)?.[1]
      if (base === undefined) throw new Error(`no greeting yet: ${text.out}${text.err}`)
    },
    { timeout: 60_000, interval: 20 },
  )
  if (base === undefined) throw new Error(`the server ended: ${text.out}${text.err}`)
  return {
    base,
    /** Standard output: the log. */
    out: () => text.out,
    /** Standard error: the greeting. */
    err: () => text.err,
    /** Sends SIGTERM and resolves with the exit code. */
    stop: async (): Promise<number | null> => {
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

/** Runs a command until it ends. */
export async function runGatehouse(cwd: string, env: Record<string, string>, args: readonly string[]) {
  const { text, ended } = launch(cwd, env, args)
  const [code] = await ended
  return { code, ...text }
}
