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

/** Commands that copy the data of a server. */
export function addCopyCommands(program: Command, terminal: Terminal): void {
  program
    .command('export')
    .description('write the whole server to a file that any empty database can import')
    .argument('<file>', 'for example gatehouse.export.gz')
    .action(async (file) => (await import('./export.ts')).exportCommand(terminal, file))
  program
    .command('import')
    .description('import an export and verify its audit logs; if anything fails, nothing is imported')
    .argument('<file>')
    .action(async (file) => (await import('./import.ts')).importCommand(terminal, file))
  program
    .command('backup')
    .description('copy the embedded database and the attachments to a file, also while the server runs')
    .argument('<file>', 'for example gatehouse.backup.gz')
    .action(async (file) => (await import('./backup.ts')).backupCommand(terminal, file))
  program
    .command('restore')
    .description('restore a backup into an empty data folder and verify its audit logs')
    .argument('<file>')
    .action(async (file) => (await import('./backup.ts')).restoreCommand(terminal, file))
}

/** Commands for the demo of a first start. */
export function addDemoCommands(demo: Command, terminal: Terminal): void {
  demo
    .command('remove')
    .description('delete the Workspace of the demo with everything in it, and the operators of the demo')
    .option('--confirm <name>', 'name of the Workspace of the demo; without it, only shows what would be deleted')
    .action(async (options) => (await import('./demo-remove.ts')).demoRemove(terminal, options))
}
