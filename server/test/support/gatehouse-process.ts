import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { ALLOCATOR, NODE_ARGS } from '../../../bench/support/gatehouse.ts'
import { NODE_COMPILE_CACHE } from '../../../bench/support/own-process.ts'

export const MAIN = fileURLToPath(new URL('../../dist/main.mjs', import.meta.url))
/** Optimizing the WebAssembly of the embedded database takes more CPU time than a test saves with it. */
export const UNOPTIMIZED = ['--liftoff-only', '--no-wasm-inlining'] as const

/** A server process started as scripts/gatehouse starts it (launcher.test.ts compares), but `UNOPTIMIZED`. Its standard error is no terminal. */
export type GatehouseProcess = Awaited<ReturnType<typeof startGatehouse>>

function launch(cwd: string, env: Record<string, string>, args: readonly string[]) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...NODE_ARGS, ...UNOPTIMIZED, MAIN, ...args], {
    cwd,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...ALLOCATOR, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
