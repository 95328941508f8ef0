import { crashProgram } from './support/crash-program.ts'
import { runCrash } from './support/crash-run.ts'

/** Kills the server repeatedly under load and checks its guarantees. See README.md. */
await crashProgram(runCrash, 100)
