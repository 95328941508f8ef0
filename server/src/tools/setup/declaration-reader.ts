import { findBudgetProblem, newBudgetOf } from '../../domains/budgets/budget.ts'
import { checkApplicationCreate } from '../../domains/identity/application.ts'
import { checkUserCreate } from '../../domains/identity/user.ts'
import { checkWorkspaceCreate } from '../../domains/identity/workspace.ts'
import { collectionPatch } from '../../domains/knowledge/collection-fields.ts'
import { parsePolicySet } from '../../domains/policy/parse.ts'
import type { ProviderKind } from '../../domains/providers/kinds.ts'
import { NO_PRICES, pricesIn } from '../../domains/providers/prices.ts'
import { findModelProblem, findProviderProblem, providerDefaults } from '../../domains/providers/provider.ts'
import { ConfigError } from '../../platform/config/environment.ts'
import type { Checked, Problem } from '../../platform/lib/schema.ts'
import type {
  Declaration,
  DeclaredApplication,
  DeclaredBudget,
  DeclaredCollection,
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
  ModelYaml,
  ProviderYaml,
  SecretYaml,
  UserYaml,
  WorkspaceYaml,
} from './gatehouse-schema.ts'
import { describeSecretProblem } from './imported-secret.ts'

export interface ReaderDeps {
  readonly fromEnvironment: (name: string) => string | undefined
  /** Text of a file named in the configuration. Throws a ConfigError. */
  readonly readFile: (name: string) => string
  /** Path of a folder named in the configuration. Throws a ConfigError if it does not exist. */
  readonly findFolder: (name: string) => string
}

type Settings = DeclaredWorkspace['settings']

/** Converts the parsed file into a declaration and collects all invalid values in `problems`. */
export class DeclarationReader {
  readonly problems: Problem[] = []
  readonly #deps: ReaderDeps

  constructor(deps: ReaderDeps) {
    this.#deps = deps
  }

  read({ admin_tokens = [], workspaces = [] }: GatehouseYaml): Declaration {
    this.#unique('admin_tokens', admin_tokens, 'name')
    this.#unique('workspaces', workspaces, 'name')
    return {
      adminTokens: admin_tokens.map(({ workspaces, ...token }, index) => ({
        ...this.#secret(`admin_tokens[${index}]`, token, 'ga_'),
        ...(workspaces && { workspaces }),
      })),
      workspaces: workspaces.map((workspace, index) => this.#workspace(`workspaces[${index}]`, workspace)),
    }
  }

  #workspace(at: string, yaml: WorkspaceYaml): DeclaredWorkspace {
    const { name, applications = [], users = [], providers = [], collections = [], budgets = [], policy } = yaml
    this.#unique(`${at}.applications`, applications, 'name')
    this.#unique(`${at}.users`, users, 'id')
    this.#unique(`${at}.users`, users, 'username')
    this.#unique(`${at}.providers`, providers, 'id')
    this.#unique(`${at}.collections`, collections, 'name')
    this.#unique(`${at}.budgets`, budgets, 'name')
    return {
      name,
      settings: this.#settings(at, yaml),
      applications: applications.map((application, index) => this.#application(`${at}.applications[${index}]`, application)),
      users: users.map((user, index) => this.#user(`${at}.users[${index}]`, user)),
      providers: providers.map((provider, index) => this.#provider(`${at}.providers[${index}]`, provider)),
      collections: collections.map((collection, index) => this.#collection(`${at}.collections[${index}]`, collection)),
      budgets: budgets.map((budget, index) => this.#budget(`${at}.budgets[${index}]`, budget)),
      ...(policy && { policy: this.#policy(`${at}.policy.file`, policy.file) }),
    }
  }

  #settings(at: string, { name, settings = {} }: WorkspaceYaml): Settings {
    const { jwks, ...plain } = settings
    const keys = jwks && 'file' in jwks ? this.#json(`${at}.settings.jwks.file`, jwks.file) : jwks
    const checked = checkWorkspaceCreate({ name, settings: { ...plain, ...(keys !== undefined && { jwks: keys }) } })
    return this.#checked(at, checked)?.settings ?? {}
  }

  #application(at: string, { keys = [], ...fields }: ApplicationYaml): DeclaredApplication {
    this.#checked(at, checkApplicationCreate(fields))
    this.#unique(`${at}.keys`, keys, 'name')
    return { fields, keys: keys.map((key, index) => this.#secret(`${at}.keys[${index}]`, key, 'gk_')) }
  }

  #user(at: string, user: UserYaml): UserYaml {
    this.#checked(at, checkUserCreate(user))
    return user
  }

  #provider(at: string, yaml: ProviderYaml): DeclaredProvider {
    const { id, kind = 'openai', preset = null, models = [] } = yaml
    const fields = providerFields(yaml)
    const complete = { ...providerDefaults(kind, preset), ...fields, id, source: 'config' as const }
    this.#note(at, findProviderProblem(complete, false))
    this.#unique(`${at}.models`, models, 'id')
    const declaredModels = models.map((model, index) => this.#model(`${at}.models[${index}]`, model, kind))
    return { id, kind, fields, models: declaredModels }
  }

  #collection(at: string, { name, folder, ...fields }: CollectionYaml): DeclaredCollection {
    const path = folder === undefined ? undefined : this.#readPath(`${at}.folder`, 'folder', () => this.#deps.findFolder(folder))
    const patch = this.#checked(at, collectionPatch(fields)) ?? {}
    return { name, fields: patch, applications: fields.applications, folder: path }
  }

  #budget(at: string, budget: BudgetYaml): DeclaredBudget {
    this.#note(at, findBudgetProblem(newBudgetOf(budget)))
    return budget
  }

  #model(at: string, { id, upstream_name: upstreamName, api, ...fields }: ModelYaml, kind: ProviderKind): DeclaredModel {
    const model = { ...withoutUndefined({ id, upstreamName, api }), ...pricesIn(fields) } as DeclaredModel
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

  /** Result of `read`, which reads a file or finds a folder. Notes a problem if that does not exist. */
  #readPath(at: string, kind: 'file' | 'folder', read: () => string): string | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.#note(at, { param: '', message: `names a ${kind} that does not exist: ${error.message}` })
      return undefined
    }
  }

  #unique<K extends string>(at: string, items: readonly { readonly [key in K]: string }[], field: K): void {
    const seen = new Set<string>()
    for (const [index, { [field]: value }] of items.entries()) {
      if (seen.has(value))
        this.#note(`${at}[${index}]`, {
          param: field,
          message: `must be unique: ${JSON.stringify(value)} is in an earlier entry`,
        })
      seen.add(value)
    }
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

const providerFields = (yaml: ProviderYaml): DeclaredProvider['fields'] =>
  withoutUndefined({
    baseUrl: yaml.base_url?.replace(/\/+$/, ''),
    preset: yaml.preset,
    apiKeyEnv: yaml.api_key_env,
    headers: yaml.headers,
    path: yaml.path,
    timeoutMs: yaml.timeout_ms,
    idleTimeoutMs: yaml.idle_timeout_ms,
    stream: yaml.stream,
    maxRetries: yaml.max_retries,
    maxConcurrency: yaml.max_concurrency,
    weight: yaml.weight,
    region: yaml.region,
    maxClassification: yaml.max_classification,
    enabled: yaml.enabled,
  })

/** Drops the fields that the file leaves out. */
const withoutUndefined = (fields: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
