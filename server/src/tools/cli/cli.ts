import cluster from 'node:cluster'
import { Command, CommanderError } from 'commander'
import { ConfigError } from '../../platform/config/environment.ts'
import { withEnvironmentFile } from '../../platform/config/environment-file.ts'
import { readSecretFiles } from '../../platform/config/secret-files.ts'
import { ROLES } from '../../shared/operator.ts'
import { VERSION } from '../../version.ts'
import { addCopyCommands, addDemoCommands, addSecretKeyCommands } from './data-commands.ts'
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
  operator
    .command('first-login')
    .description('print the sign-in link of the first owner')
    .action(async () => (await import('./operator-first-login.ts')).operatorFirstLogin(terminal))
  operator
    .command('invite')
    .description('print a new sign-in link for an operator')
    .argument('<email>')
    .action(async (email) => (await import('./operator-invite.ts')).operatorInvite(terminal, email))
  operator
    .command('list')
    .description('list the operators with their roles')
    .action(async () => (await import('./operator-roles.ts')).operatorList(terminal))
  operator
    .command('role')
    .description('give an operator a role; none takes it')
    .argument('<email>')
    .argument('<role>', `${ROLES.join(', ')}, none`)
    .option('--workspace <name>', 'only in this Workspace; default: in all')
    .action(async (email, role, options) => (await import('./operator-roles.ts')).operatorRole(terminal, email, role, options))
  const token = program.command('token').description('manage admin tokens, and access tokens of users')
  addAdminTokenCommands(token, terminal)
  addAccessTokenCommands(token.command('user').description('manage access tokens of users for the messaging API'), terminal)
  return program
}

function addServerCommands(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('start the server (default command)')
    .action(async () => (await import('./serve.ts')).runServer(terminal))
  program
    .command('migrate')
    .description('migrate the database to the current schema')
    .action(async () => (await import('./migrate.ts')).migrate(terminal))
  program
    .command('apply')
    .description('apply a configuration file to the database; without effect when repeated')
    .argument('[file]', 'default: GATEHOUSE_CONFIG, else gatehouse.yaml')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--check', 'like --dry-run, with exit code 1 if something would change')
    .action(async (file, options) => (await import('./apply.ts')).apply(terminal, file, options))
}

/** Collects the values of an option that may be repeated. */
const collectValue = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value]

function addIngestCommand(program: Command, terminal: Terminal): void {
  program
    .command('ingest')
    .description('ingest the documents of a folder into a collection; run again after an interruption')
    .argument('<folder>')
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
  cost
    .command('reconcile')
    .description("compare a provider's usage export with the records, by day and model")
    .argument('<file>', 'JSON of the usage or costs API of OpenAI or Anthropic, or CSV')
    .option('--workspace <name>', 'default: all')
    .option('--provider <id>', 'only records of this provider')
    .option('--tolerance <percent>', 'difference that counts as equal; default: 1')
    .action(async (file, options) => (await import('./cost-reconcile.ts')).costReconcile(terminal, file, options))
}

function addPolicyCommands(policy: Command, terminal: Terminal): void {
  policy
    .command('test')
    .description('run the tests that policy documents name')
    .argument('<files...>')
    .action(async (files) => (await import('./policy.ts')).policyTest(terminal, files))
  policy
    .command('check')
    .description('check that a policy document can be published')
    .argument('<file>')
    .action(async (file) => (await import('./policy.ts')).policyCheck(terminal, file))
}

function addAuditCommands(audit: Command, terminal: Terminal): void {
  audit
    .command('verify')
    .description('verify all records and checkpoints, and name the first fault')
    .option('--workspace <name>', 'default: all')
    .option(
      '--kept <file>',
      'also verify against checkpoints kept outside the database, one JSON line each; repeatable',
      collectValue,
    )
    .action(async (options) => (await import('./audit.ts')).auditVerify(terminal, options))
  audit
    .command('resume')
    .description('resume the signing of checkpoints after an alarm; the command is recorded')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--accept-as-found', 'accept the current state of a log that does not verify; its records are no longer checked')
    .action(async (options) => (await import('./audit-resume.ts')).auditResume(terminal, options))
  audit
    .command('follow')
    .description('send audit records to a file or an HTTP receiver, and continue after a restart without loss')
    .requiredOption('--to <target>', 'a path, - (standard output), http://… or https://…')
    .option('--format <format>', 'gatehouse or ocsf', 'gatehouse')
    .option('--workspace <name>', 'default: all')
    .option('--cursor <file>', 'file that keeps the position')
    .option('--once', 'end when all records are sent')
    .action(async (options) => (await import('./audit-follow.ts')).auditFollow(terminal, options))
  audit
    .command('export')
    .description('print the records as JSON lines, oldest first')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--from <time>', 'start time, inclusive, for example 2026-03-01 or 2026-03-01T09:00:00Z')
    .option('--to <time>', 'end time, exclusive')
    .action(async (options) => (await import('./audit.ts')).auditExport(terminal, options))
  audit
    .command('verify-export')
    .description('verify exports and segments of the archive without the database, and that no records are missing between them')
    .argument('<files...>', 'files of one Workspace; those that end with .gz are decompressed')
    .requiredOption('--public-key <file>', 'file with the public key of the Workspace (`gatehouse audit public-key`)')
    .option('--kept <file>', 'also verify against checkpoints kept outside the database; repeatable', collectValue)
    .action(async (files, options) => (await import('./audit-offline.ts')).auditVerifyExports(terminal, files, options))
  audit
    .command('public-key')
    .description('print the public key that verifies exports and checkpoints')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .action(async (options) => (await import('./audit-offline.ts')).auditPublicKey(terminal, options))
}

function addWorkspaceCommands(workspace: Command, terminal: Terminal): void {
  workspace
    .command('create')
    .description('create an empty Workspace and print its id')
    .argument('<name>')
    .action(async (name) => (await import('./workspace-create.ts')).workspaceCreate(terminal, name))
}

function addApplicationCommands(application: Command, terminal: Terminal): void {
  application
    .command('create')
    .description('create an Application with a key; print the key, and the code that connects clients')
    .argument('<name>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .action(async (name, options) => (await import('./application-create.ts')).applicationCreate(terminal, name, options))
}

function addKeyCommands(key: Command, terminal: Terminal): void {
  key
    .command('issue')
    .description('issue an API key and print it')
    .requiredOption('--application <name>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--name <name>', 'name of the key', 'cli')
    .action(async (options) => (await import('./key.ts')).keyIssue(terminal, options))
  key
    .command('revoke')
    .description('revoke an API key')
    .argument('<id>', 'key_…')
    .action(async (id) => (await import('./key.ts')).keyRevoke(terminal, id))
  key
    .command('list')
    .description('list the API keys')
    .option('--workspace <name>', 'default: all')
    .action(async (options) => (await import('./key.ts')).keyList(terminal, options))
}

function addAdminTokenCommands(token: Command, terminal: Terminal): void {
  token
    .command('create')
    .description('create an admin token and print it')
    .requiredOption('--name <name>', 'name of the token holder')
    .option('--scope <scope>', 'a scope such as policies:read; repeatable; default: all scopes', collectValue)
    .option('--workspace <name>', 'a Workspace in which it is valid; repeatable; default: all Workspaces', collectValue)
    .action(async (options) => (await import('./admin-token.ts')).adminTokenCreate(terminal, options))
  token
    .command('revoke')
    .description('revoke an admin token')
    .argument('<id>', 'adm_…')
    .action(async (id) => (await import('./admin-token.ts')).adminTokenRevoke(terminal, id))
  token
    .command('list')
    .description('list the admin tokens')
    .action(async () => (await import('./admin-token.ts')).adminTokenList(terminal))
}

function addAccessTokenCommands(token: Command, terminal: Terminal): void {
  token
    .command('create')
    .description('issue an access token and print it')
    .requiredOption('--user <id>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .option('--name <name>', 'name of the token', 'cli')
    .action(async (options) => (await import('./access-token.ts')).accessTokenCreate(terminal, options))
  token
    .command('revoke')
    .description('revoke an access token')
    .argument('<id>', 'tok_…')
    .action(async (id) => (await import('./access-token.ts')).accessTokenRevoke(terminal, id))
  token
    .command('list')
    .description("list a user's access tokens")
    .requiredOption('--user <id>')
    .option('--workspace <name>', 'required if there are several Workspaces')
    .action(async (options) => (await import('./access-token.ts')).accessTokenList(terminal, options))
}
