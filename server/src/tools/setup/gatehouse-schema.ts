import { type Static, Type } from 'typebox'
import { BudgetCreate } from '../../domains/budgets/budget.ts'
import { ApiKeyPatch } from '../../domains/identity/api-key.ts'
import { ApplicationCreate } from '../../domains/identity/application.ts'
import { TeamCreate } from '../../domains/identity/team.ts'
import { UserCreate } from '../../domains/identity/user.ts'
import { WorkspaceCreate } from '../../domains/identity/workspace.ts'
import { CollectionFields } from '../../domains/knowledge/collection-fields.ts'
import { MODEL_APIS, PROVIDER_KINDS } from '../../domains/providers/kinds.ts'
import { PRESET_IDS } from '../../domains/providers/presets.ts'
import { PRICE_FIELDS, type PriceFields } from '../../domains/providers/prices.ts'
import { Name, oneOf, resettable, resettableWord } from '../../platform/lib/fields.ts'
import { checker } from '../../platform/lib/schema.ts'
import { CLASSIFICATIONS } from '../../shared/classification.ts'

/** Unknown fields are refused, because a misspelled field would be ignored silently. */
const strict = { additionalProperties: false } as const

const Path = Type.String({ minLength: 1, maxLength: 1_000 })
const Variable = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 200 })
const Secret = Type.Object({ name: Name, from_env: Variable }, strict)
const AdminToken = Type.Object(
  { ...Secret.properties, workspaces: Type.Optional(Type.Array(Name, { minItems: 1, uniqueItems: true })) },
  strict,
)

const Jwks = Type.Unsafe<{ keys: object[] } | { url: string } | { file: string } | null>({
  type: ['object', 'null'],
  properties: { keys: Type.Array(Type.Object({})), url: Type.String(), file: Path },
  minProperties: 1,
  maxProperties: 1,
  ...strict,
})

const { name: _, team_id: team, ...keyFields } = ApiKeyPatch.properties
const Key = Type.Object({ ...Secret.properties, ...keyFields, team }, strict)

const Application = Type.Object({ ...ApplicationCreate.properties, keys: Type.Optional(Type.Array(Key)) }, strict)

const Team = Type.Object(TeamCreate.properties, strict)

const User = Type.Object({ ...UserCreate.properties, id: Name }, strict)

const price = resettable(Type.Number())
const priceFields = Object.fromEntries(PRICE_FIELDS.map((field) => [field, price])) as Record<keyof PriceFields, typeof price>

const Model = Type.Object(
  {
    id: Type.String(),
    upstream_name: resettable(Type.String()),
    api: Type.Optional(oneOf(MODEL_APIS, 'ModelApi')),
    fallback_order: Type.Optional(Type.Integer()),
    ...priceFields,
  },
  strict,
)

const Provider = Type.Object(
  {
    id: Type.String(),
    kind: Type.Optional(oneOf(PROVIDER_KINDS, 'ProviderKind')),
    preset: resettableWord(PRESET_IDS),
    base_url: Type.Optional(Type.String()),
    api_key_env: resettable(Variable),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    path: Type.Optional(Type.String()),
    timeout_ms: Type.Optional(Type.Integer()),
    idle_timeout_ms: resettable(Type.Integer()),
    stream: Type.Optional(Type.Boolean()),
    max_retries: Type.Optional(Type.Integer()),
    max_concurrency: Type.Optional(Type.Integer()),
    weight: Type.Optional(Type.Number()),
    region: resettable(Name),
    max_classification: Type.Optional(oneOf(CLASSIFICATIONS, 'Classification')),
    enabled: Type.Optional(Type.Boolean()),
    models: Type.Optional(Type.Array(Model, { maxItems: 1_000 })),
  },
  strict,
)

const Collection = Type.Object({ name: Name, ...CollectionFields, folder: Type.Optional(Path) }, strict)

const { application_id: application, ...budgetFields } = BudgetCreate.properties
const Budget = Type.Object({ ...budgetFields, application }, strict)

const Workspace = Type.Object(
  {
    name: Name,
    settings: Type.Optional(
      Type.Object({ ...WorkspaceCreate.properties.settings.properties, jwks: Type.Optional(Jwks) }, strict),
    ),
    teams: Type.Optional(Type.Array(Team)),
    applications: Type.Optional(Type.Array(Application)),
    users: Type.Optional(Type.Array(User)),
    providers: Type.Optional(Type.Array(Provider)),
    collections: Type.Optional(Type.Array(Collection)),
    budgets: Type.Optional(Type.Array(Budget)),
    policy: Type.Optional(Type.Object({ file: Path }, strict)),
  },
  strict,
)

/** Shape of `gatehouse.yaml` (docs/configuration.md). declaration-reader.ts checks ranges and references. */
export const GatehouseYaml = Type.Object(
  { admin_tokens: Type.Optional(Type.Array(AdminToken)), workspaces: Type.Optional(Type.Array(Workspace)) },
  strict,
)

export type GatehouseYaml = Static<typeof GatehouseYaml>
export type SecretYaml = Static<typeof Secret>
export type KeyYaml = Static<typeof Key>
export type WorkspaceYaml = Static<typeof Workspace>
export type ApplicationYaml = Static<typeof Application>
export type UserYaml = Static<typeof User>
export type CollectionYaml = Static<typeof Collection>
export type BudgetYaml = Static<typeof Budget>
export type ModelYaml = Static<typeof Model>
export type ProviderYaml = Static<typeof Provider>

export const checkGatehouseYaml = checker(GatehouseYaml)
