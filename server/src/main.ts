import { limitThreadMemory } from './platform/lib/heap.ts'
import { runCli } from './tools/cli/cli.ts'

limitThreadMemory()

// `gatehouse audit export | head` closes the pipe early, which is no error.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1))

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY && {
    status: (line: string) => process.stderr.write(`\r\x1b[K${line.slice(0, process.stderr.columns - 1)}`),
  }),
})

// The channel to the primary process would keep a serving process alive.
if (process.connected) process.exit()
