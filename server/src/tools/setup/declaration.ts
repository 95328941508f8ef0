import type { BudgetCreate } from '../../domains/budgets/budget.ts'
import type { ApiKeyPatch } from '../../domains/identity/api-key.ts'
import type { ApplicationCreate } from '../../domains/identity/application.ts'
import type { TeamCreate } from '../../domains/identity/team.ts'
import type { UserCreate } from '../../domains/identity/user.ts'
import type { WorkspaceCreate } from '../../domains/identity/workspace.ts'
import type { CollectionPatch } from '../../domains/knowledge/collection.ts'
import type { NewProvider, ProviderModel } from '../../domains/providers/provider.ts'

/** Fields that are left out get their default when the item is created, and keep their value when it exists. */
export interface Declaration {
  readonly adminTokens: readonly DeclaredAdminToken[]
  readonly workspaces: readonly DeclaredWorkspace[]
}

/** An API key (`gk_…`) or admin token (`ga_…`) that was created elsewhere. Only its hash is stored. */
export interface DeclaredSecret {
  readonly name: string
  readonly secret: string
}

/** `team`: name of the team, which is its id in the admin API. */
export type KeyFields = Omit<ApiKeyPatch, 'name' | 'team_id'> & { readonly team?: string | null | undefined }

export interface DeclaredKey extends DeclaredSecret {
  readonly fields?: KeyFields
}

export interface DeclaredAdminToken extends DeclaredSecret {
  /** Names of the only Workspaces in which the token is valid. Absent: all. */
  readonly workspaces?: readonly string[]
}

export interface DeclaredWorkspace {
  readonly name: string
  readonly settings: NonNullable<WorkspaceCreate['settings']>
  readonly teams?: readonly TeamCreate[]
  readonly applications: readonly DeclaredApplication[]
  readonly users: readonly DeclaredUser[]
  readonly providers: readonly DeclaredProvider[]
  readonly collections?: readonly DeclaredCollection[]
  readonly budgets?: readonly DeclaredBudget[]
  /** YAML of the policy set to activate. Absent: the active one stays. */
  readonly policy?: string | undefined
}

export interface DeclaredApplication {
  readonly fields: ApplicationCreate
  readonly keys: readonly DeclaredKey[]
}

export interface DeclaredCollection {
  readonly name: string
  readonly fields: Omit<CollectionPatch, 'name' | 'applications'>
  readonly applications?: readonly string[] | null | undefined
  readonly folder?: string | undefined
}

/** `application`: name of the Application, which is its id in the admin API. `member`: of an Application, team or key the name. */
export type DeclaredBudget = Omit<BudgetCreate, 'application_id'> & { readonly application?: string | null }

export type DeclaredUser = UserCreate & { readonly id: string }

export interface DeclaredProvider {
  readonly id: string
  readonly kind: NewProvider['kind']
  readonly fields: Partial<Omit<NewProvider, 'id' | 'kind' | 'source' | 'apiKey'>>
  readonly models: readonly DeclaredModel[]
  /** Whether stored models that are not in `models` are deleted. */
  readonly exactModels?: boolean
}

export type DeclaredModel = Pick<ProviderModel, 'id'> & Partial<Omit<ProviderModel, 'id' | 'createdAt'>>
