import { crashProgram } from './support/crash-program.ts'
import { runMessagingCrash } from './support/messaging-crash-run.ts'

/** Kills the server repeatedly while eight users send messages and two read events. See README.md. */
await crashProgram(runMessagingCrash, 50)
