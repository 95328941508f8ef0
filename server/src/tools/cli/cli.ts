import cluster from 'node:cluster'
import { Argument, Command, CommanderError, Option } from 'commander'
import { ConfigError, withEnvironmentFile } from '../../platform/config/environment.ts'
import { readSecretFiles } from '../../platform/config/secret-files.ts'
import { ROLES } from '../../shared/operator.ts'
import { VERSION } from '../../version.ts'
import { CommandExit, explainError, type Terminal } from './terminal.ts'

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
  for (const [usage, [about, load, ...parts]] of Object.entries(COMMANDS)) {
    const command = addCommand(program, usage.split(' ')).description(about)
    for (const part of parts) part instanceof Option ? command.addOption(part) : command.addArgument(part)
    command.action(async (...values) => (await load())(terminal, ...(values as never[])))
  }
  return program
}

function addCommand(parent: Command, [name = '', ...more]: readonly string[]): Command {
  const about = GROUPS[name]
  if (about === undefined) return parent.command([name, ...more].join(' '))
  const group = parent.commands.find((command) => command.name() === name) ?? parent.command(name).description(about)
  return addCommand(group, more)
}

const GROUPS: Readonly<Record<string, string>> = {
  policy: 'check and test policies',
  audit: 'read the audit log',
  cost: 'check costs',
  workspace: 'manage Workspaces',
  application: 'manage Applications',
  key: 'manage the API keys of Applications',
  demo: 'manage the demo',
  keys: 'manage the secret keys of the server',
  operator: 'manage operators and their sign-in',
  token: 'manage admin tokens, and access tokens of users',
  user: 'manage access tokens of users for the messaging API',
}

const argument = (name: string, about: string) => new Argument(name, about)
const option = (flags: string, about: string) => new Option(flags, about)
const required = (flags: string, about?: string) =>
  new Option(flags, about === undefined ? 'required' : `required: ${about}`).makeOptionMandatory()
const repeatable = (flags: string, about: string) =>
  new Option(flags, about).argParser((value, previous: readonly string[] = []) => [...previous, value])
const WORKSPACE = option('--workspace <name>', 'required if there are several Workspaces')
const ANY_WORKSPACE = option('--workspace <name>', 'default: all')

/** The code of a command is imported when it runs, so that each command starts fast. */
type Load = () => Promise<(terminal: Terminal, ...values: never[]) => Promise<void>>
const audit = () => import('./audit.ts')
const copies = () => import('./copies.ts')
const create = () => import('./create.ts')
const credentials = () => import('./credentials.ts')
const keys = () => import('./keys.ts')
const operators = () => import('./operators.ts')
const policy = () => import('./policy.ts')

const COMMANDS: Readonly<Record<string, readonly [about: string, load: Load, ...parts: readonly (Option | Argument)[]]>> = {
  serve: ['start the server (default command)', async () => (await import('./serve.ts')).runServer],
  migrate: ['migrate the database to the current schema', async () => (await import('./with-database.ts')).migrate],
  apply: [
    'apply a configuration file to the database; without effect when repeated',
    async () => (await import('./apply.ts')).apply,
    argument('[file]', 'default: GATEHOUSE_CONFIG, else gatehouse.yaml'),
    option('--dry-run', 'show what would change, and change nothing'),
    option('--check', 'like --dry-run, with exit code 1 if something would change'),
  ],
  'ingest <folder>': [
    'ingest the documents of a folder into a collection; run again after an interruption',
    async () => (await import('./ingest.ts')).ingest,
    required('--collection <name>'),
    WORKSPACE,
    option(
      '--prefix <path>',
      'begins the key of each document, for example docs/handbook, so that folders with equal files keep apart',
    ),
    option('--create', 'create the collection if it does not exist'),
    option('--classification <label>', 'classification of each document: public, internal, confidential or restricted'),
    repeatable('--regulation <name>', 'regulation of each document; repeatable'),
    option('--acl <everyone>', 'all users may read the documents; exclusive with --role, --department, --group and --user'),
    repeatable('--role <name>', 'users with this role may read the documents; repeatable'),
    repeatable('--department <name>', 'users of this department may read the documents; repeatable'),
    repeatable('--group <id>', 'members of this group may read the documents; repeatable'),
    repeatable('--user <id>', 'this user may read the documents; repeatable'),
    option('--delete-missing', 'delete documents of the collection, or below --prefix, whose files are not in the folder'),
    option(
      '--force',
      'with --delete-missing: delete even more than 20 % of the documents, and all of them if the folder is empty',
    ),
    option('--json', 'print a line of JSON for each file, and a summary line'),
  ],
  'policy test <files...>': ['run the tests that policy documents name', async () => (await policy()).policyTest],
  'policy check <file>': ['check that a policy document can be published', async () => (await policy()).policyCheck],
  'audit verify': [
    'verify all records and checkpoints, and name the first fault',
    async () => (await audit()).auditVerify,
    ANY_WORKSPACE,
    repeatable('--kept <file>', 'also verify against checkpoints kept outside the database, one JSON line each; repeatable'),
  ],
  'audit resume': [
    'resume the signing of checkpoints after an alarm; the command is recorded',
    async () => (await audit()).auditResume,
    WORKSPACE,
    option('--accept-as-found', 'accept the current state of a log that does not verify; its records are no longer checked'),
  ],
  'audit follow': [
    'send audit records to a file or an HTTP receiver, and continue after a restart without loss',
    async () => (await import('./audit-follow.ts')).auditFollow,
    required('--to <target>', 'a path, - (standard output), http://… or https://…'),
    option('--format <format>', 'gatehouse or ocsf').default('gatehouse'),
    ANY_WORKSPACE,
    option('--cursor <file>', 'file that keeps the position'),
    option('--once', 'end when all records are sent'),
  ],
  'audit export': [
    'print the records as JSON lines, oldest first',
    async () => (await audit()).auditExport,
    WORKSPACE,
    option('--from <time>', 'start time, inclusive, for example 2026-03-01 or 2026-03-01T09:00:00Z'),
    option('--to <time>', 'end time, exclusive'),
  ],
  'audit verify-export': [
    'verify exports and segments of the archive without the database, and that no records are missing between them',
    async () => (await audit()).auditVerifyExports,
    argument('<files...>', 'files of one Workspace; those that end with .gz are decompressed'),
    required('--public-key <file>', 'file with the public key of the Workspace (`gatehouse audit public-key`)'),
    repeatable('--kept <file>', 'also verify against checkpoints kept outside the database; repeatable'),
  ],
  'audit verify-proof': [
    'verify single records with their proofs, which the page of a record downloads, without the database',
    async () => (await import('./audit-proof.ts')).auditVerifyProofs,
    argument('<files...>', 'proofs of one Workspace'),
    required('--public-key <file>', 'file with the public key of the Workspace (`gatehouse audit public-key`)'),
  ],
  'audit public-key': [
    'print the public key that verifies exports and checkpoints',
    async () => (await audit()).auditPublicKey,
    WORKSPACE,
  ],
  'cost reconcile': [
    "compare a provider's usage export with the records, by day and model",
    async () => (await import('./cost-reconcile.ts')).costReconcile,
    argument('<file>', 'JSON of the usage or costs API of OpenAI or Anthropic, or CSV'),
    ANY_WORKSPACE,
    option('--provider <id>', 'only records of this provider'),
    option('--tolerance <percent>', 'difference that counts as equal; default: 1'),
  ],
  'workspace create <name>': ['create an empty Workspace and print its id', async () => (await create()).workspaceCreate],
  'application create <name>': [
    'create an Application with a key; print the key, and the code that connects clients',
    async () => (await create()).applicationCreate,
    WORKSPACE,
  ],
  'key issue': [
    'issue an API key and print it',
    async () => (await credentials()).keyIssue,
    required('--application <name>'),
    WORKSPACE,
    option('--name <name>', 'name of the key').default('cli'),
  ],
  'key revoke': ['revoke an API key', async () => (await credentials()).keyRevoke, argument('<id>', 'key_…')],
  'key list': ['list the API keys', async () => (await credentials()).keyList, ANY_WORKSPACE],
  export: [
    'write the whole server to a file that any empty database can import',
    async () => (await copies()).exportCommand,
    argument('<file>', 'for example gatehouse.export.gz'),
  ],
  'import <file>': [
    'import an export and verify its audit logs; if anything fails, nothing is imported',
    async () => (await copies()).importCommand,
  ],
  backup: [
    'copy the embedded database and the attachments to a file, also while the server runs',
    async () => (await copies()).backupCommand,
    argument('<file>', 'for example gatehouse.backup.gz'),
  ],
  'restore <file>': [
    'restore a backup into an empty data folder and verify its audit logs',
    async () => (await copies()).restoreCommand,
  ],
  'demo remove': [
    'delete the Workspace of the demo with everything in it, and the operators of the demo',
    async () => (await import('./demo-remove.ts')).demoRemove,
    option('--confirm <name>', 'name of the Workspace of the demo; without it, only shows what would be deleted'),
  ],
  'keys status': ['count the values that each secret key has sealed', async () => (await keys()).keysStatus],
  'keys rotate': [
    'seal all values of old secret keys again with the current one; run again after an interruption',
    async () => (await keys()).keysRotate,
  ],
  'operator first-login': ['print the sign-in link of the first owner', async () => (await operators()).operatorFirstLogin],
  'operator invite <email>': ['print a new sign-in link for an operator', async () => (await operators()).operatorInvite],
  'operator list': ['list the operators with their roles', async () => (await operators()).operatorList],
  'operator role <email>': [
    'give an operator a role; none takes it',
    async () => (await operators()).operatorRole,
    argument('<role>', `${ROLES.join(', ')}, none`),
    option('--workspace <name>', 'only in this Workspace; default: in all'),
  ],
  'token create': [
    'create an admin token and print it',
    async () => (await credentials()).adminTokenCreate,
    required('--name <name>', 'name of the token holder'),
    repeatable('--scope <scope>', 'a scope such as policies:read; repeatable; default: all scopes'),
    repeatable('--workspace <name>', 'a Workspace in which it is valid; repeatable; default: all Workspaces'),
  ],
  'token revoke': ['revoke an admin token', async () => (await credentials()).adminTokenRevoke, argument('<id>', 'adm_…')],
  'token list': ['list the admin tokens', async () => (await credentials()).adminTokenList],
  'token user create': [
    'issue an access token and print it',
    async () => (await credentials()).accessTokenCreate,
    required('--user <id>'),
    WORKSPACE,
    option('--name <name>', 'name of the token').default('cli'),
  ],
  'token user revoke': ['revoke an access token', async () => (await credentials()).accessTokenRevoke, argument('<id>', 'tok_…')],
  'token user list': [
    "list a user's access tokens",
    async () => (await credentials()).accessTokenList,
    required('--user <id>'),
    WORKSPACE,
  ],
}
