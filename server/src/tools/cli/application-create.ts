import { issueKey } from '../../domains/identity/api-key-store.ts'
import { type ApplicationCreate, checkApplicationCreate } from '../../domains/identity/application.ts'
import { createApplication } from '../../domains/identity/application-store.ts'
import type { Workspace } from '../../domains/identity/workspace.ts'
import { listModels, listProviders } from '../../domains/providers/provider-store.ts'
import { serverUrl } from '../../platform/config/config.ts'
import type { Db } from '../../platform/db/database.ts'
import { CLIENT_SNIPPETS, DEFAULT_EXTENSIONS } from '../../shared/client-snippets.ts'
import { changeOf } from '../setup/change.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { ALL_ROWS, chooseWorkspace } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

const KEY_NAME = 'cli'

/**
 * `gatehouse application create NAME`: prints the API key to standard output, and the code that connects clients to standard error. The
 * Application has the extensions that most clients need.
 */
export async function applicationCreate(
  terminal: Terminal,
  name: string,
  options: { readonly workspace?: string },
): Promise<void> {
  const checked = checkApplicationCreate({ name, settings: { extensions: DEFAULT_EXTENSIONS } })
  if (!checked.ok) throw new CommandFailure(`the name of the Application ${checked.problem.message}`)
  await withDatabase(terminal, async (context) => {
    const { db } = context.database
    const workspace = await chooseWorkspace(db, options.workspace)
    terminal.out(await createWithKey(context, workspace, checked.value))
    terminal.note(`the key of ${name} in ${workspace.name}: copy it now, because only its hash is stored`)
    const { config } = context
    const base = config.signIn.publicUrl ?? serverUrl(config)
    printSnippets(terminal, { base, model: (await firstModel(db, workspace.id)) ?? 'MODEL' })
  })
}

/** Returns the key. Application and key are created together, or not at all. */
async function createWithKey(context: CommandContext, workspace: Workspace, create: ApplicationCreate): Promise<string> {
  const { name } = create
  let secret = ''
  await changeWorkspace(context, workspace.id, async ({ tx, now }) => {
    const application = await createApplication(tx, workspace.id, create, now)
    if (!application) {
      const remedy = `choose another name, or issue a key with \`gatehouse key issue --application ${name}\``
      throw new CommandFailure(`there is an Application ${name} in ${workspace.name} already: ${remedy}`)
    }
    const { id } = application
    const issued = await issueKey(tx, { workspaceId: workspace.id, applicationId: id }, KEY_NAME, now)
    if (!issued) throw new CommandFailure(`the Application ${name} was deleted in the meantime`)
    secret = issued.key
    return [
      changeOf('application', 'created', { id, name }),
      changeOf('key', 'issued', { id: issued.id, name: `${name}/${KEY_NAME}` }),
    ]
  })
  return secret
}

function printSnippets({ note }: Terminal, values: { readonly base: string; readonly model: string }): void {
  note('\nConnect a client, with the key in the environment variable GATEHOUSE_KEY:')
  for (const { name, code } of CLIENT_SNIPPETS) note(`\n--- ${name}\n${code(values)}`)
}

/** The first model of an enabled provider, for the code to work as it is. */
async function firstModel(db: Db, workspaceId: string): Promise<string | undefined> {
  const { data: providers } = await listProviders(db, workspaceId, ALL_ROWS)
  for (const { id } of providers.filter(({ enabled }) => enabled)) {
    const { data } = await listModels(db, workspaceId, id, { limit: 1 })
    if (data[0]) return data[0].id
  }
  return undefined
}
