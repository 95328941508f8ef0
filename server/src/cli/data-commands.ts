import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** Commands for the secret keys of the server. */
export function addSecretKeyCommands(keys: Command, terminal: Terminal): void {
  keys
    .command('status')
    .description('count the values that each secret key has sealed')
    .action(async () => (await import('./keys.ts')).keysStatus(terminal))
  keys
    .command('rotate')
    .description('seal all values of old secret keys again with the current one; run again after an interruption')
    .action(async () => (await import('./keys.ts')).keysRotate(terminal))
}
