import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config/environment.ts'
import { VERSION } from '../version.ts'
import type { Terminal } from './command.ts'
import { explain } from './explain.ts'

/** 0: done. 1: done, and something is wrong, or it could not be done. 2: used or configured wrongly. */
export type ExitCode = 0 | 1 | 2

/** Runs one command line and answers the process's exit code. Never throws. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await commandLine(terminal).parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    terminal.note(`gatehouse: ${explain(error)}`)
    return error instanceof ConfigError ? 2 : 1
  }
}

/** Every command, in plain sight. What a command needs is loaded when it runs. */
function commandLine(terminal: Terminal): Command {
  const program = new Command('gatehouse')
    .description("The governed gateway between a company's applications and its language models.")
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText('after', '\nThe environment is described in docs/configuration.md.')

  program
    .command('serve')
    .description('start the server; also without any command')
    .action(async () => (await import('./serve.ts')).runServer(terminal))
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(async () => (await import('./migrate.ts')).migrate(terminal))
  program
    .command('apply')
    .description('make the database what a file declares; again and again, if you like')
    .argument('[file]', 'default: GATEHOUSE_CONFIG, else gatehouse.yaml')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--check', 'the same, with exit code 1 when something would change')
    .action(async (file, options) => (await import('./apply.ts')).apply(terminal, file, options))
  addIngestCommand(program, terminal)
  addPolicyCommands(program.command('policy').description('work on policies'), terminal)
  addAuditCommands(program.command('audit').description('read the audit log'), terminal)
  addKeyCommands(program.command('key').description("Applications' keys"), terminal)
  const operator = program.command('operator').description('people who operate the server')
  operator
    .command('first-login')
    .description('print the link with which the first owner signs in')
    .action(async () => (await import('./operator-first-login.ts')).operatorFirstLogin(terminal))
  operator
    .command('invite')
    .description('print a new link for an operator who cannot sign in')
    .argument('<email>')
    .action(async (email) => (await import('./operator.ts')).operatorInvite(terminal, email))
  const token = program.command('token').description("operators' tokens for the admin API, and users' for messaging")
  addTokenCommands(token, terminal)
  addAccessTokenCommands(token.command('user').description("users' tokens for the messaging API"), terminal)
  return program
}

/** Of an option that may be given several times. */
const each = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

function addIngestCommand(program: Command, terminal: Terminal): void {
  program
    .command('ingest')
    .description('bring a folder of documents into a collection, or up to date; begin again wherever it was broken off')
    .argument('<folder>')
    .requiredOption('--collection <name>')
    .option('--workspace <name>', 'needed where there are several')
    .option('--create', 'make the collection if there is none of that name')
    .option('--classification <label>', 'of each document: public, internal, confidential or restricted')
    .option('--regulation <name>', 'that each document is under; several times for several', each)
    .option('--acl <everyone>', 'let everybody read them; or only those that are named with the three below')
    .option('--role <name>', 'let these read them; several times for several', each)
    .option('--department <name>', 'the same', each)
    .option('--user <id>', 'the same', each)
    .option('--delete-missing', 'delete documents of the collection whose files are not in the folder')
    .option('--force', 'delete them also when they are more than 20 % of the documents')
    .option('--json', 'print a line of JSON for each file, and one for all')
    .action(async (folder, options) => (await import('./ingest.ts')).ingest(terminal, folder, options))
}

function addPolicyCommands(policy: Command, terminal: Terminal): void {
  policy
    .command('test')
    .description('run the tests that policy documents name')
    .argument('<files...>')
    .action(async (files) => (await import('./policy.ts')).policyTest(terminal, files))
  policy
    .command('check')
    .description('check a policy document as publishing it would')
    .argument('<file>')
    .action(async (file) => (await import('./policy.ts')).policyCheck(terminal, file))
}

function addAuditCommands(audit: Command, terminal: Terminal): void {
  audit
    .command('verify')
    .description('verify all records and checkpoints, and name the first fault')
    .option('--workspace <name>', 'default: all')
    .option('--kept <file>', 'also verify against checkpoints kept outside the database, one JSON line each; repeatable', each)
    .action(async (options) => (await import('./audit.ts')).auditVerify(terminal, options))
  audit
    .command('resume')
    .description('resume the signing of checkpoints after an alarm; the command is recorded')
    .option('--workspace <name>', 'needed where there are several')
    .option('--accept-as-found', 'accept the current state of a log that does not verify; its records are no longer checked')
    .action(async (options) => (await import('./audit-resume.ts')).auditResume(terminal, options))
  audit
    .command('export')
    .description('print the records as JSON lines, oldest first')
    .option('--workspace <name>', 'needed where there are several')
    .option('--from <time>', 'first moment, as 2026-03-01 or 2026-03-01T09:00:00Z')
    .option('--to <time>', 'the moment after the last')
    .action(async (options) => (await import('./audit.ts')).auditExport(terminal, options))
  audit
    .command('verify-export')
    .description('verify an export without the database')
    .argument('<file>')
    .requiredOption('--public-key <file>', "the Workspace's, from `gatehouse audit public-key`")
    .option('--kept <file>', 'also verify against checkpoints kept outside the database; repeatable', each)
    .action(async (file, options) => (await import('./audit-offline.ts')).auditVerifyExport(terminal, file, options))
  audit
    .command('public-key')
    .description('print the public key that verifies exports and checkpoints')
    .option('--workspace <name>', 'needed where there are several')
    .action(async (options) => (await import('./audit-offline.ts')).auditPublicKey(terminal, options))
}

function addKeyCommands(key: Command, terminal: Terminal): void {
  key
    .command('issue')
    .description('print a new key')
    .requiredOption('--application <name>')
    .option('--workspace <name>', 'needed where there are several')
    .option('--name <name>', 'what to call it', 'cli')
    .action(async (options) => (await import('./key.ts')).keyIssue(terminal, options))
  key
    .command('revoke')
    .description('refuse a key from now on')
    .argument('<id>', 'key_…')
    .action(async (id) => (await import('./key.ts')).keyRevoke(terminal, id))
  key
    .command('list')
    .description('show the keys')
    .option('--workspace <name>', 'default: all')
    .action(async (options) => (await import('./key.ts')).keyList(terminal, options))
}

function addTokenCommands(token: Command, terminal: Terminal): void {
  token
    .command('create')
    .description('print a new token')
    .requiredOption('--name <name>', 'who or what holds it')
    .option('--scope <scope>', 'what it may, as policies:read; several times for several. Default: everything', each)
    .action(async (options) => (await import('./token.ts')).tokenCreate(terminal, options))
  token
    .command('revoke')
    .description('refuse a token from now on')
    .argument('<id>', 'adm_…')
    .action(async (id) => (await import('./token.ts')).tokenRevoke(terminal, id))
  token
    .command('list')
    .description('show the tokens')
    .action(async () => (await import('./token.ts')).tokenList(terminal))
}

function addAccessTokenCommands(token: Command, terminal: Terminal): void {
  token
    .command('create')
    .description('print a new token')
    .requiredOption('--user <id>')
    .option('--workspace <name>', 'needed where there are several')
    .option('--name <name>', 'what to call it', 'cli')
    .action(async (options) => (await import('./access-token.ts')).accessTokenCreate(terminal, options))
  token
    .command('revoke')
    .description('refuse a token from now on')
    .argument('<id>', 'tok_…')
    .action(async (id) => (await import('./access-token.ts')).accessTokenRevoke(terminal, id))
  token
    .command('list')
    .description("show a user's tokens")
    .requiredOption('--user <id>')
    .option('--workspace <name>', 'needed where there are several')
    .action(async (options) => (await import('./access-token.ts')).accessTokenList(terminal, options))
}
