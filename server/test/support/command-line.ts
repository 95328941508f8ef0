import type { Environment } from '../../src/platform/config/environment.ts'
import { runCli } from '../../src/tools/cli/cli.ts'

export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process, as main.ts does with the arguments, environment and streams of the process. */
export async function runCommandLine(args: readonly string[], env: Environment): Promise<CommandResult> {
  const out: string[] = []
  const err: string[] = []
  const code = await runCli(args, { env, out: (line) => out.push(`${line}\n`), note: (line) => err.push(`${line}\n`) })
  return { code, out: out.join(''), err: err.join('') }
}
