import { crashProgram } from './support/crash-program.ts'
import { runMessagingCrash } from './support/messaging-crash-run.ts'

/** Kills the server while eight people write and two listen. See README.md. */
await crashProgram(runMessagingCrash, 50)
