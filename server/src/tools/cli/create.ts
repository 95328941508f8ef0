import { issueKey } from '../../domains/identity/api-key-store.ts'
import { type ApplicationCreate, checkApplicationCreate } from '../../domains/identity/application.ts'
import { createApplication } from '../../domains/identity/application-store.ts'
import { checkWorkspaceCreate, type Workspace } from '../../domains/identity/workspace.ts'
import { listModels, listProviders } from '../../domains/providers/provider-store.ts'
import type { Db } from '../../platform/db/database.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { newId } from '../../platform/lib/id.ts'
import { CLIENT_SNIPPETS, DEFAULT_EXTENSIONS } from '../../shared/client-snippets.ts'
import { createNewWorkspace } from '../setup/apply-workspace.ts'
import { changeOf } from '../setup/change.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { type CommandContext, publicUrl, withDatabase } from './with-database.ts'

export async function workspaceCreate(terminal: Terminal, name: string): Promise<void> {
  const checked = checkWorkspaceCreate({ name })
  if (!checked.ok) throw new CommandFailure(`the name of the Workspace ${checked.problem.message}`)
  const id = newId('ws')
  await withDatabase(terminal, (context) =>
    changeWorkspace(context, id, async (applied) => {
      const created = await createNewWorkspace(applied, checked.value)
      if (!created) throw new CommandFailure(`there is a Workspace ${name} already: choose another name`)
      return [changeOf('workspace', 'created', created)]
    }),
  )
  terminal.out(id)
  terminal.note(`created the Workspace ${name}`)
}

const KEY_NAME = 'cli'

/** Prints the API key to standard output, and the code that connects clients to standard error. */
export async function applicationCreate(
  terminal: Terminal,
  name: string,
  options: { readonly workspace?: string },
): Promise<void> {
  const { out, note } = terminal
  const checked = checkApplicationCreate({ name, settings: { extensions: DEFAULT_EXTENSIONS } })
  if (!checked.ok) throw new CommandFailure(`the name of the Application ${checked.problem.message}`)
  await withDatabase(terminal, async (context) => {
    const { db } = context.database
    const workspace = await chooseWorkspace(db, options.workspace)
    out(await createWithKey(context, workspace, checked.value))
    note(`the key of ${name} in ${workspace.name}: copy it now, because only its hash is stored`)
    const values = { base: await publicUrl(context, terminal), model: (await firstModel(db, workspace.id)) ?? 'MODEL' }
    note('\nConnect a client, with the key in the environment variable GATEHOUSE_KEY:')
    for (const snippet of CLIENT_SNIPPETS) note(`\n--- ${snippet.name}\n${snippet.code(values)}`)
  })
}

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

async function firstModel(db: Db, workspaceId: string): Promise<string | undefined> {
  const { data: providers } = await listProviders(db, workspaceId, ALL_ROWS)
  for (const { id } of providers.filter(({ enabled }) => enabled)) {
    const { data } = await listModels(db, workspaceId, id, { limit: 1 })
    if (data[0]) return data[0].id
  }
  return undefined
}
