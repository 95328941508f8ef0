import { crashProgram } from './support/crash-program.ts'
import { runCrash } from './support/crash-run.ts'

/** Kills the server under load, again and again, and checks what it promised. See README.md. */
await crashProgram(runCrash, 100)
