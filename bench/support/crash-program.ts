import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { exitOnSignals } from './own-process.ts'

interface CrashOptions {
  readonly times: number
  readonly seed: number
  readonly postgres?: string | undefined
  readonly say: (line: string) => void
}

/** Command line of a crash run: `[--times N] [--seed N] [--postgres URL]`. Exits with 1 on a violation. */
export async function crashProgram(
  run: (options: CrashOptions) => Promise<{ readonly violations: readonly string[] }>,
  defaultTimes: number,
): Promise<void> {
  const { values } = parseArgs({
    options: {
      times: { type: 'string', default: String(defaultTimes) },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      postgres: { type: 'string' },
    },
  })
  exitOnSignals()
  const { postgres } = values
  const [times, seed] = [Number(values.times), Number(values.seed)]
  console.log(`seed ${seed}, ${postgres ? 'PostgreSQL' : 'embedded database'}`)
  const started = performance.now()
  const { violations, ...counts } = await run({ times, seed, postgres, say: console.log })
  console.log({ seed, ...counts, seconds: Math.round((performance.now() - started) / 1_000) })
  for (const violation of violations) console.error(`VIOLATION ${violation}`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
