import cluster from 'node:cluster'
import { Command, CommanderError } from 'commander'
import { ConfigError, withEnvironmentFile } from '../../platform/config/environment.ts'
import { readSecretFiles } from '../../platform/config/secret-files.ts'
import { ROLES } from '../../shared/operator.ts'
import { VERSION } from '../../version.ts'
import { explainError } from './explain-error.ts'
import { CommandExit, type Terminal } from './terminal.ts'

/** 0: success. 1: the command failed or found a fault. 2: the arguments or the configuration are wrong. */
export type ExitCode = 0 | 1 | 2

/** Runs one command line and returns the exit code of the process. Never throws. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    // A worker gets the environment of its primary process.
    const readEnv = () => (cluster.isWorker ? terminal.env : readSecretFiles(withEnvironmentFile(terminal.env)))
    const own = { ...terminal, readEnv }
    const program = buildProgram(own).hook('preAction', () => {
      own.env = readEnv()
    })
    await program.parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommandExit) return error.code === 2 ? 2 : 1
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    terminal.note(`gatehouse: ${explainError(error)}`)
    return error instanceof ConfigError ? 2 : 1
  }
}

const command = (parent: Command, usage: string, description: string): Command => parent.command(usage).description(description)

/** All commands. The code of a command is imported when it runs, so that each command starts fast. */
function buildProgram(terminal: Terminal): Command {
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

  addServerCommands(program, terminal)
  addIngestCommand(program, terminal)
  addPolicyCommands(program.command('policy').description('check and test policies'), terminal)
  addAuditCommands(program.command('audit').description('read the audit log'), terminal)
  addCostCommands(program.command('cost').description('check costs'), terminal)
  addWorkspaceCommands(program.command('workspace').description('manage Workspaces'), terminal)
  addApplicationCommands(program.command('application').description('manage Applications'), terminal)
  addKeyCommands(program.command('key').description('manage the API keys of Applications'), terminal)
  addCopyCommands(program, terminal)
  addDemoCommands(program.command('demo').description('manage the demo'), terminal)
  addSecretKeyCommands(program.command('keys').description('manage the secret keys of the server'), terminal)
  const operator = program.command('operator').description('manage operators and their sign-in')
  command(operator, 'first-login', 'print the sign-in link of the first owner').action(async () =>
    (await import('./operators.ts')).operatorFirstLogin(terminal),
  )
  command(operator, 'invite <email>', 'print a new sign-in link for an operator').action(async (email) =>
    (await import('./operators.ts')).operatorInvite(terminal, email),
  )
  command(operator, 'list', 'list the operators with their roles').action(async () =>
    (await import('./operators.ts')).operatorList(terminal),
  )
  command(operator, 'role <email>', 'give an operator a role; none takes it')
    .argument('<role>', `${ROLES.join(', ')}, none`)
    .option('--workspace <name>', 'only in this Workspace; default: in all')
    .action(async (email, role, options) => (await import('./operators.ts')).operatorRole(terminal, email, role, options))
  const token = program.command('token').description('manage admin tokens, and access tokens of users')
  addAdminTokenCommands(token, terminal)
  addAccessTokenCommands(token.command('user').description('manage access tokens of users for the messaging API'), terminal)
  return program
}

function addServerCommands(program: Command, terminal: Terminal): void {
  command(program, 'serve', 'start the server (default command)').action(async () =>
    (await import('./serve.ts')).runServer(terminal),
  )
  command(program, 'migrate', 'migrate the database to the current schema').action(async () =>
    (await import('./with-database.ts')).migrate(terminal),
  )
  command(program, 'apply', 'apply a configuration file to the database; without effect when repeated')
    .argument('[file]', 'default: GATEHOUSE_CONFIG, else gatehouse.yaml')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--check', 'like --dry-run, with exit code 1 if something would change')
    .action(async (file, options) => (await import('./apply.ts')).apply(terminal, file, options))
}

/** Collects the values of an option that may be repeated. */
const collectValue = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value]

function addIngestCommand(program: Command, terminal: Terminal): void {
  command(program, 'ingest <folder>', 'ingest the documents of a folder into a collection; run again after an interruption')
    .requiredOption('--collection <name>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--create', 'create the collection if it does not exist')
    .option('--classification <label>', 'classification of each document: public, internal, confidential or restricted')
    .option('--regulation <name>', 'regulation of each document; repeatable', collectValue)
    .option('--acl <everyone>', 'all users may read the documents; exclusive with --role, --department and --user')
    .option('--role <name>', 'users with this role may read the documents; repeatable', collectValue)
    .option('--department <name>', 'users of this department may read the documents; repeatable', collectValue)
    .option('--user <id>', 'this user may read the documents; repeatable', collectValue)
    .option('--delete-missing', 'delete documents of the collection whose files are not in the folder')
    .option('--force', 'with --delete-missing: delete even more than 20 % of the documents')
    .option('--json', 'print a line of JSON for each file, and a summary line')
    .action(async (folder, options) => (await import('./ingest.ts')).ingest(terminal, folder, options))
}

function addCostCommands(cost: Command, terminal: Terminal): void {
  command(cost, 'reconcile', "compare a provider's usage export with the records, by day and model")
    .argument('<file>', 'JSON of the usage or costs API of OpenAI or Anthropic, or CSV')
    .option('--workspace <name>', 'default: all')
    .option('--provider <id>', 'only records of this provider')
    .option('--tolerance <percent>', 'difference that counts as equal; default: 1')
    .action(async (file, options) => (await import('./cost-reconcile.ts')).costReconcile(terminal, file, options))
}

function addPolicyCommands(policy: Command, terminal: Terminal): void {
  command(policy, 'test <files...>', 'run the tests that policy documents name').action(async (files) =>
    (await import('./policy.ts')).policyTest(terminal, files),
  )
  command(policy, 'check <file>', 'check that a policy document can be published').action(async (file) =>
    (await import('./policy.ts')).policyCheck(terminal, file),
  )
}

function addAuditCommands(audit: Command, terminal: Terminal): void {
  command(audit, 'verify', 'verify all records and checkpoints, and name the first fault')
    .option('--workspace <name>', 'default: all')
    .option(
      '--kept <file>',
      'also verify against checkpoints kept outside the database, one JSON line each; repeatable',
      collectValue,
    )
    .action(async (options) => (await import('./audit.ts')).auditVerify(terminal, options))
  command(audit, 'resume', 'resume the signing of checkpoints after an alarm; the command is recorded')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--accept-as-found', 'accept the current state of a log that does not verify; its records are no longer checked')
    .action(async (options) => (await import('./audit-resume.ts')).auditResume(terminal, options))
  command(audit, 'follow', 'send audit records to a file or an HTTP receiver, and continue after a restart without loss')
    .requiredOption('--to <target>', 'a path, - (standard output), http://… or https://…')
    .option('--format <format>', 'gatehouse or ocsf', 'gatehouse')
    .option('--workspace <name>', 'default: all')
    .option('--cursor <file>', 'file that keeps the position')
    .option('--once', 'end when all records are sent')
    .action(async (options) => (await import('./audit-follow.ts')).auditFollow(terminal, options))
  command(audit, 'export', 'print the records as JSON lines, oldest first')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--from <time>', 'start time, inclusive, for example 2026-03-01 or 2026-03-01T09:00:00Z')
    .option('--to <time>', 'end time, exclusive')
    .action(async (options) => (await import('./audit.ts')).auditExport(terminal, options))
  command(
    audit,
    'verify-export',
    'verify exports and segments of the archive without the database, and that no records are missing between them',
  )
    .argument('<files...>', 'files of one Workspace; those that end with .gz are decompressed')
    .requiredOption('--public-key <file>', 'file with the public key of the Workspace (`gatehouse audit public-key`)')
    .option('--kept <file>', 'also verify against checkpoints kept outside the database; repeatable', collectValue)
    .action(async (files, options) => (await import('./audit-offline.ts')).auditVerifyExports(terminal, files, options))
  command(audit, 'public-key', 'print the public key that verifies exports and checkpoints')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .action(async (options) => (await import('./audit-offline.ts')).auditPublicKey(terminal, options))
}

function addWorkspaceCommands(workspace: Command, terminal: Terminal): void {
  command(workspace, 'create <name>', 'create an empty Workspace and print its id').action(async (name) =>
    (await import('./workspace-create.ts')).workspaceCreate(terminal, name),
  )
}

function addApplicationCommands(application: Command, terminal: Terminal): void {
  command(application, 'create <name>', 'create an Application with a key; print the key, and the code that connects clients')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .action(async (name, options) => (await import('./application-create.ts')).applicationCreate(terminal, name, options))
}

function addKeyCommands(key: Command, terminal: Terminal): void {
  command(key, 'issue', 'issue an API key and print it')
    .requiredOption('--application <name>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--name <name>', 'name of the key', 'cli')
    .action(async (options) => (await import('./key.ts')).keyIssue(terminal, options))
  command(key, 'revoke', 'revoke an API key')
    .argument('<id>', 'key_…')
    .action(async (id) => (await import('./key.ts')).keyRevoke(terminal, id))
  command(key, 'list', 'list the API keys')
    .option('--workspace <name>', 'default: all')
    .action(async (options) => (await import('./key.ts')).keyList(terminal, options))
}

function addAdminTokenCommands(token: Command, terminal: Terminal): void {
  command(token, 'create', 'create an admin token and print it')
    .requiredOption('--name <name>', 'name of the token holder')
    .option('--scope <scope>', 'a scope such as policies:read; repeatable; default: all scopes', collectValue)
    .option('--workspace <name>', 'a Workspace in which it is valid; repeatable; default: all Workspaces', collectValue)
    .action(async (options) => (await import('./admin-token.ts')).adminTokenCreate(terminal, options))
  command(token, 'revoke', 'revoke an admin token')
    .argument('<id>', 'adm_…')
    .action(async (id) => (await import('./admin-token.ts')).adminTokenRevoke(terminal, id))
  command(token, 'list', 'list the admin tokens').action(async () => (await import('./admin-token.ts')).adminTokenList(terminal))
}

function addAccessTokenCommands(token: Command, terminal: Terminal): void {
  command(token, 'create', 'issue an access token and print it')
    .requiredOption('--user <id>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--name <name>', 'name of the token', 'cli')
    .action(async (options) => (await import('./access-token.ts')).accessTokenCreate(terminal, options))
  command(token, 'revoke', 'revoke an access token')
    .argument('<id>', 'tok_…')
    .action(async (id) => (await import('./access-token.ts')).accessTokenRevoke(terminal, id))
  command(token, 'list', "list a user's access tokens")
    .requiredOption('--user <id>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .action(async (options) => (await import('./access-token.ts')).accessTokenList(terminal, options))
}

/** Commands for the secret keys of the server. */
function addSecretKeyCommands(keys: Command, terminal: Terminal): void {
  command(keys, 'status', 'count the values that each secret key has sealed').action(async () =>
    (await import('./keys.ts')).keysStatus(terminal),
  )
  command(
    keys,
    'rotate',
    'seal all values of old secret keys again with the current one; run again after an interruption',
  ).action(async () => (await import('./keys.ts')).keysRotate(terminal))
}

/** Commands that copy the data of a server. */
function addCopyCommands(program: Command, terminal: Terminal): void {
  command(program, 'export', 'write the whole server to a file that any empty database can import')
    .argument('<file>', 'for example gatehouse.export.gz')
    .action(async (file) => (await import('./export-import.ts')).exportCommand(terminal, file))
  command(program, 'import <file>', 'import an export and verify its audit logs; if anything fails, nothing is imported').action(
    async (file) => (await import('./export-import.ts')).importCommand(terminal, file),
  )
  command(program, 'backup', 'copy the embedded database and the attachments to a file, also while the server runs')
    .argument('<file>', 'for example gatehouse.backup.gz')
    .action(async (file) => (await import('./backup.ts')).backupCommand(terminal, file))
  command(program, 'restore <file>', 'restore a backup into an empty data folder and verify its audit logs').action(
    async (file) => (await import('./backup.ts')).restoreCommand(terminal, file),
  )
}

/** Commands for the demo of a first start. */
function addDemoCommands(demo: Command, terminal: Terminal): void {
  command(demo, 'remove', 'delete the Workspace of the demo with everything in it, and the operators of the demo')
    .option('--confirm <name>', 'name of the Workspace of the demo; without it, only shows what would be deleted')
    .action(async (options) => (await import('./demo-remove.ts')).demoRemove(terminal, options))
}
