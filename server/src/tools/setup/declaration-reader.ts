import { findBudgetProblem, newBudgetOf } from '../../domains/budgets/budget.ts'
import { checkApplicationCreate } from '../../domains/identity/application.ts'
import { checkUserCreate } from '../../domains/identity/user.ts'
import { checkWorkspaceCreate } from '../../domains/identity/workspace.ts'
import { collectionPatch } from '../../domains/knowledge/collection-fields.ts'
import { parsePolicySet } from '../../domains/policy/parse.ts'
import type { ProviderKind } from '../../domains/providers/kinds.ts'
import { NO_PRICES } from '../../domains/providers/prices.ts'
import { findModelProblem, findProviderProblem, providerDefaults } from '../../domains/providers/provider.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import { fromRow } from '../../platform/db/from-row.ts'
import type { Checked, Problem } from '../../platform/lib/schema.ts'
import { describeSecretProblem } from './apply-secrets.ts'
import type {
  Declaration,
  DeclaredApplication,
  DeclaredBudget,
  DeclaredCollection,
  DeclaredKey,
  DeclaredModel,
  DeclaredProvider,
  DeclaredSecret,
  DeclaredWorkspace,
} from './declaration.ts'
import type {
  ApplicationYaml,
  BudgetYaml,
  CollectionYaml,
  GatehouseYaml,
  KeyYaml,
  ModelYaml,
  ProviderYaml,
  SecretYaml,
  UserYaml,
  WorkspaceYaml,
} from './gatehouse-schema.ts'

interface ReaderDeps {
  readonly fromEnvironment: (name: string) => string | undefined
  readonly readFile: (name: string) => string
  readonly findFolder: (name: string) => string
}

export class DeclarationReader {
  readonly problems: Problem[] = []
  readonly #deps: ReaderDeps

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  read({ admin_tokens, workspaces }: GatehouseYaml): Declaration {
    return {
      adminTokens: this.#list('admin_tokens', admin_tokens, ['name'], (at, token) => ({
        ...this.#secret(at, token, 'ga_'),
        ...(token.workspaces && { workspaces: token.workspaces }),
      })),
      workspaces: this.#list('workspaces', workspaces, ['name'], this.#workspace),
    }
  }

  readonly #workspace = (at: string, yaml: WorkspaceYaml): DeclaredWorkspace => ({
    name: yaml.name,
    settings: this.#settings(at, yaml),
    teams: this.#list(`${at}.teams`, yaml.teams, ['name'], (_, team) => team),
    applications: this.#list(`${at}.applications`, yaml.applications, ['name'], this.#application),
    users: this.#list(`${at}.users`, yaml.users, ['id', 'username'], this.#user),
    providers: this.#list(`${at}.providers`, yaml.providers, ['id'], this.#provider),
    collections: this.#list(`${at}.collections`, yaml.collections, ['name'], this.#collection),
    budgets: this.#list(`${at}.budgets`, yaml.budgets, ['name'], this.#budget),
    ...(yaml.policy && { policy: this.#policy(`${at}.policy.file`, yaml.policy.file) }),
  })

  #settings(at: string, { name, settings = {} }: WorkspaceYaml): DeclaredWorkspace['settings'] {
    const { jwks, ...plain } = settings
    const keys = jwks && 'file' in jwks ? this.#json(`${at}.settings.jwks.file`, jwks.file) : jwks
    const checked = checkWorkspaceCreate({ name, settings: { ...plain, ...(keys !== undefined && { jwks: keys }) } })
    return this.#checked(at, checked)?.settings ?? {}
  }

  readonly #application = (at: string, { keys, ...fields }: ApplicationYaml): DeclaredApplication => {
    this.#checked(at, checkApplicationCreate(fields))
    return { fields, keys: this.#list(`${at}.keys`, keys, ['name'], this.#key) }
  }

  readonly #key = (at: string, { name, from_env, ...fields }: KeyYaml): DeclaredKey => ({
    ...this.#secret(at, { name, from_env }, 'gk_'),
    // A key without fields keeps the hash of its declaration.
    ...(Object.keys(fields).length > 0 && { fields }),
  })

  readonly #user = (at: string, user: UserYaml): UserYaml => {
    this.#checked(at, checkUserCreate(user))
    return user
  }

  readonly #provider = (at: string, yaml: ProviderYaml): DeclaredProvider => {
    const { id, kind = 'openai', models, base_url, ...plain } = yaml
    const settings = fromRow(plain) as DeclaredProvider['fields']
    const fields = { ...settings, ...(base_url !== undefined && { baseUrl: base_url.replace(/\/+$/, '') }) }
    const complete = { ...providerDefaults(kind, plain.preset), ...fields, id, kind, source: 'config' as const }
    this.#note(at, findProviderProblem(complete, false))
    const declaredModels = this.#list(`${at}.models`, models, ['id'], (modelAt, model) => this.#model(modelAt, model, kind))
    return { id, kind, fields, models: declaredModels }
  }

  readonly #collection = (at: string, { name, folder, ...fields }: CollectionYaml): DeclaredCollection => {
    const path = folder === undefined ? undefined : this.#readPath(`${at}.folder`, 'folder', () => this.#deps.findFolder(folder))
    const patch = this.#checked(at, collectionPatch(fields)) ?? {}
    return { name, fields: patch, applications: fields.applications, folder: path }
  }

  readonly #budget = (at: string, budget: BudgetYaml): DeclaredBudget => {
    this.#note(at, findBudgetProblem(newBudgetOf(budget)))
    return budget
  }

  #model(at: string, yaml: ModelYaml, kind: ProviderKind): DeclaredModel {
    const model = fromRow(yaml) as DeclaredModel
    this.#note(at, findModelProblem({ upstreamName: null, ...NO_PRICES, ...model }, kind))
    return model
  }

  #policy(at: string, name: string): string {
    const source = this.#readPath(at, 'file', () => this.#deps.readFile(name)) ?? ''
    const parsed = source === '' ? undefined : parsePolicySet(source)
    if (parsed?.ok !== false) return source
    for (const { line, field, message } of parsed.errors)
      this.#note(at, { param: '', message: `${name}:${line}: ${field} ${message}` })
    return source
  }

  #secret(at: string, { name, from_env }: SecretYaml, prefix: 'gk_' | 'ga_'): DeclaredSecret {
    const secret = this.#deps.fromEnvironment(from_env)?.trim() ?? ''
    const message = describeSecretProblem(secret, prefix)
    if (message !== undefined) this.#note(at, { param: 'from_env', message: `names ${from_env}, which ${message}` })
    return { name, secret }
  }

  #json(at: string, name: string): unknown {
    const text = this.#readPath(at, 'file', () => this.#deps.readFile(name))
    try {
      return text === undefined ? undefined : JSON.parse(text)
    } catch {
      this.#note(at, { param: '', message: `names ${name}, which is not JSON` })
      return undefined
    }
  }

  #readPath(at: string, kind: 'file' | 'folder', read: () => string): string | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.#note(at, { param: '', message: `names a ${kind} that does not exist: ${error.message}` })
      return undefined
    }
  }

  /** Reads the items of a list. No two of them may have the same value of a field in `unique`. */
  #list<T, D>(
    at: string,
    items: readonly T[] | undefined,
    unique: readonly (keyof T & string)[],
    read: (at: string, item: T) => D,
  ): D[] {
    for (const param of unique) {
      const seen = new Set<unknown>()
      for (const [index, { [param]: value }] of (items ?? []).entries()) {
        const message = `must be unique: ${JSON.stringify(value)} is in an earlier entry`
        if (seen.has(value)) this.#note(`${at}[${index}]`, { param, message })
        seen.add(value)
      }
    }
    return (items ?? []).map((item, index) => read(`${at}[${index}]`, item))
  }

  #checked<T>(at: string, checked: Checked<T>): T | undefined {
    if (checked.ok) return checked.value
    this.#note(at, checked.problem)
    return undefined
  }

  #note(at: string, problem: Problem | undefined): void {
    if (problem) this.problems.push({ param: problem.param ? `${at}.${problem.param}` : at, message: problem.message })
  }
}
